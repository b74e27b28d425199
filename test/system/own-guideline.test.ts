// A whole payment by a scheme's own usage guideline: with invoices, an agent's address, and the agents of each leg in
// GrpHdr, which ours does not have (MSG-8; docs/how-to/use-your-own-guideline.md).
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { buildPacs008 } from '../../core/iso20022/build-pacs008.ts';
import { elementAt, textAt } from '../../core/iso20022/tree.ts';
import { instruction } from '../../fixtures/instruction.ts';
import { openGuideline } from '../../xml/guideline.ts';
import { createLibxml2Engine } from '../../xml/libxml2.ts';
import { evidenceOf, textOf } from '../harness/evidence.ts';
import { buildExampleGuideline } from '../harness/example-guideline.ts';
import { testGateway } from '../harness/gateway.ts';
import { bestQuote, submitXml } from '../harness/payer.ts';

const usageGuideline = buildExampleGuideline();
const engine = createLibxml2Engine({ guideline: openGuideline({ directory: usageGuideline }) });
const gateway = await testGateway({ usageGuideline });
const evidence = evidenceOf(gateway);

const agents = /\s*<InstgAgt>[^]*?<\/InstdAgt>/;
const invoices = /<Strd>[^]*<\/Strd>/.exec(
  readFileSync(join(usageGuideline, 'examples/pacs.008.001.13.xml'), 'utf8'),
)?.[0] as string;

/** As their operator writes it. */
function widened(text: string): string {
  const ofLeg = agents.exec(text)?.[0] as string;
  return text
    .replace(agents, '')
    .replace('</GrpHdr>', `${ofLeg}</GrpHdr>`)
    .replace(
      /(<CdtrAgt><FinInstnId><BICFI>[^<]*<\/BICFI>)/,
      '$1<PstlAdr><StrtNm>Rama IV Road</StrtNm><Ctry>TH</Ctry></PstlAdr>',
    )
    .replace('</CdtTrfTxInf>', `<RmtInf>${invoices}</RmtInf></CdtTrfTxInf>`);
}

test('what the scheme adds reaches the destination unaltered, with the agents of its leg in GrpHdr (MSG-9, MSG-10)', async () => {
  const message = instruction(await bestQuote(gateway));
  const xml = widened(buildPacs008(message));
  const { report, text } = await submitXml(gateway, xml);
  expect(report?.status, text).toBe('ACTC');
  const final = textOf(await evidence.arrival(message.uetr, 'source', 'pacs002'));
  expect(final).toContain('<TxSts>ACCC</TxSts>');
  const parsed = engine.parse(
    Buffer.from(textOf(await evidence.arrival(message.uetr, 'destination', 'pacs008'))),
    ['pacs008'],
  );
  if (!parsed.ok) throw new Error(parsed.refusal.detail);
  expect(await parsed.value.validate()).toEqual([]);
  const document = parsed.value.document();
  parsed.value.dispose();
  const received = engine.parse(Buffer.from(xml), ['pacs008']);
  if (!received.ok) throw new Error(received.refusal.detail);
  const sent = received.value.document();
  received.value.dispose();
  const transaction = 'FIToFICstmrCdtTrf/CdtTrfTxInf';
  for (const path of ['RmtInf', 'CdtrAgt', 'Dbtr', 'Cdtr'])
    expect(elementAt(document, `${transaction}/${path}`)).toEqual(elementAt(sent, `${transaction}/${path}`));
  const agentAt = (path: string) => textAt(document, `FIToFICstmrCdtTrf/${path}/FinInstnId/BICFI`);
  expect(['GrpHdr/InstgAgt', 'GrpHdr/InstdAgt'].map(agentAt)).toEqual(['HARBTHS0', 'LOTUTHS0']);
  expect(['CdtTrfTxInf/InstgAgt', 'CdtTrfTxInf/InstdAgt'].map(agentAt)).toEqual([undefined, undefined]);
  // MSG-11: the source is answered with its own agents, swapped
  expect(final).toMatch(/<InstgAgt>.*HARBSGS0.*<InstdAgt>.*LOTUSGS0/);
});

test('what it does not add is refused as ever, with the place', async () => {
  const message = instruction(await bestQuote(gateway));
  const xml = widened(buildPacs008(message)).replace('<Cd>CINV</Cd>', '<Cd>SBIN</Cd>');
  const { report } = await submitXml(gateway, xml);
  expect([report?.status, report?.reasonCode]).toEqual(['RJCT', 'FF01']);
  expect(report?.additionalInformation?.join('')).toContain('RfrdDocInf[1]/Tp/CdOrPrtry/Cd');
});
