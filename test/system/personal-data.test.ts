// Where people must not be found: their names, accounts and texts are in the messages that the parties exchange and in
// the stored messages, and nowhere else (SEC-3, I-14).
import { readFileSync } from 'node:fs';
import { sql } from 'kysely';
import { pino } from 'pino';
import { beforeAll, describe, expect, test } from 'vitest';
import { buildPacs008, type OriginalPacs008 } from '../../core/iso20022/build-pacs008.ts';
import { paymentWorkflowId } from '../../contract/ids.ts';
import { evidenceOf } from '../harness/evidence.ts';
import { testGateway } from '../harness/gateway.ts';
import { askFor } from '../harness/offers.ts';
import { instruction } from '../../fixtures/instruction.ts';
import { bestQuote, submit, submitXml, type Submitted } from '../harness/payer.ts';
import { eventually } from '../harness/wait.ts';

const logLines: string[] = [];
const logger = pino({ level: 'trace' }, { write: (line: string) => void logLines.push(line) });
const gateway = await testGateway({ logger });
const evidence = evidenceOf(gateway);

const canaries = {
  debtor: 'Quetzalcoatl Tan',
  creditor: 'Quetzalina Somchai',
  debtorAccount: 'CANARY-DBTR-7781',
  creditorAccount: 'CANARY-CDTR-0001',
  remittance: 'CANARY-FOR-THE-BIRDS',
};

describe('nothing of the people in a payment (I-14)', () => {
  let message: OriginalPacs008;
  const problems: string[] = [];
  const uetrs: string[] = [];

  /** The same people in messages that end in every other way. */
  beforeAll(async () => {
    const people = {
      debtor: { name: canaries.debtor, townName: 'Singapore', country: 'SG' },
      creditor: { name: canaries.creditor, townName: 'Bangkok', country: 'TH' },
      debtorAccount: { otherId: canaries.debtorAccount },
      creditorAccount: { otherId: canaries.creditorAccount },
      remittanceInformation: canaries.remittance,
    };
    const another = async (changes: Partial<OriginalPacs008>) =>
      instruction(await bestQuote(gateway), { ...people, ...changes });
    message = await another({}); // credited
    const variants = [
      message,
      await another({ creditorAccount: { otherId: 'CANARY-CDTR-0003' } }), // rejected by the destination
      await another({ creditorAccount: { otherId: 'CANARY-CDTR-0010' } }), // a contradiction
      await another({ purpose: 'ZZZZ' }), // rejected by us
      { ...message, creditorAccount: { otherId: 'CANARY-CDTR-0009' } }, // other content under the same keys
    ];
    for (const variant of variants) {
      await submit(gateway, variant);
      await evidence.closed(variant.uetr);
    }
    uetrs.push(...variants.map((one) => one.uetr));
    const xml = buildPacs008(message);
    const broken = [
      xml.replace('</Document>', ''),
      xml.replace(/<UETR>.*<\/UETR>/, `<UETR>${canaries.debtorAccount}</UETR>`),
      xml.replace(/<MsgId>.*<\/MsgId>/, `<MsgId>//${canaries.debtor}</MsgId>`),
      xml.replaceAll('pacs.008.001.13', canaries.debtorAccount),
    ];
    for (const text of broken) problems.push(await problemOf(400, submitXml(gateway, text)));
    const callbackUrl = `https://${canaries.debtorAccount}.example/`;
    problems.push(await problemOf(422, submit(gateway, message, { callbackUrl })));
    problems.push(await invalidReport());
    problems.push(await defect(await another({})));
    await slowly(await another({}));
  });

  async function problemOf(httpStatus: number, submitting: Promise<Submitted>): Promise<string> {
    const refused = await submitting;
    expect(refused.httpStatus).toBe(httpStatus);
    return refused.text;
  }

  /** The database fails in the middle of a submission: that is logged. */
  async function defect(submission: OriginalPacs008): Promise<string> {
    await sql`alter table messages rename to messages_gone`.execute(gateway.db);
    try {
      return await problemOf(500, submit(gateway, submission));
    } finally {
      await sql`alter table messages_gone rename to messages`.execute(gateway.db);
    }
  }

  /** The statement that stores a message takes more than a second: the database logs that. */
  async function slowly(submission: OriginalPacs008): Promise<void> {
    const submitted = await gateway.db.transaction().execute(async (trx) => {
      await sql`lock table messages in exclusive mode`.execute(trx);
      const submitting = submit(gateway, submission);
      const waitsForASecond = async () => {
        const { rows } = await sql`select pid from pg_stat_activity where datname = current_database()
          and wait_event_type = 'Lock' and clock_timestamp() > query_start + interval '1 second'`.execute(
          gateway.db,
        );
        expect(rows).toHaveLength(1);
      };
      await Promise.race([eventually(waitsForASecond), submitting]);
      return { submitting };
    });
    await submitted.submitting;
  }

  /** A report of the destination that is not valid where it names a person. */
  async function invalidReport(): Promise<string> {
    const xml = `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pacs.002.001.15"><FIToFIPmtStsRpt><GrpHdr><MsgId>M</MsgId></GrpHdr><TxInfAndSts><OrgnlUETR>${message.uetr}</OrgnlUETR><TxSts>${canaries.creditor}</TxSts></TxInfAndSts></FIToFIPmtStsRpt></Document>`;
    const response = await fetch(`${gateway.url}/iso20022/pacs002`, {
      method: 'POST',
      headers: {
        'content-type': 'application/xml',
        authorization: `Bearer ${await gateway.token('THBPPAY')}`,
      },
      body: xml,
    });
    expect(response.status).toBe(422);
    return response.text();
  }

  const words = [...Object.values(canaries), 'CANARY', 'Quetzal'];
  const found = (text: string) => words.filter((word) => text.toLowerCase().includes(word.toLowerCase()));

  test('is in a Temporal history, raw, payloads included', async () => {
    for (const uetr of uetrs) {
      const history = await gateway.temporal.workflow.getHandle(paymentWorkflowId(uetr)).fetchHistory();
      const text = plainText(history);
      expect(text).toContain(uetr);
      expect(found(text)).toEqual([]);
    }
  });

  test('is in the audit trail, a decision or a delivery attempt', async () => {
    for (const table of ['audit_events', 'decisions', 'deliveries', 'delivery_attempts'] as const) {
      const rows = await gateway.db.selectFrom(table).selectAll().execute();
      expect(rows.length, table).toBeGreaterThan(0);
      expect(found(JSON.stringify(rows)), table).toEqual([]);
    }
  });

  test('is in a log line, whatever the level (OBS-1)', () => {
    expect(logLines.join('')).toContain('request failed');
    expect(found(logLines.join(''))).toEqual([]);
  });

  test('is in a metric', async () => {
    for (const of of ['api', 'worker'] as const) {
      const metrics = await (await fetch(`${gateway.telemetryUrl(of)}/metrics`)).text();
      expect(metrics).toContain('isthmus_');
      expect(found(metrics)).toEqual([]);
    }
  });

  test('is in the log of the database', async () => {
    const { logFile } = await askFor('database');
    if (logFile === undefined) return; // the server is not ours
    const log = readFileSync(logFile, 'utf8');
    expect(log).toContain('listening on');
    expect(found(log)).toEqual([]);
    const inBytes = words.filter((word) => log.includes(Buffer.from(word).toString('hex')));
    expect(inBytes).toEqual([]);
  });

  test('is in a problem body', () => {
    expect(problems).toHaveLength(7);
    for (const problem of problems) expect(found(problem)).toEqual([]);
  });

  test('is in the answers that refuse a message: they name elements, never values', () => {
    for (const text of gateway.answers) expect(found(text)).toEqual([]);
  });
});

/** All text of a value, that in bytes decoded. */
function plainText(value: unknown): string {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('utf8');
  if (Array.isArray(value)) return value.map(plainText).join(' ');
  if (typeof value === 'object' && value !== null) return Object.values(value).map(plainText).join(' ');
  return typeof value === 'string' ? value : '';
}
