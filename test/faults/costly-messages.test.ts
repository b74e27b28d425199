// One operator floods the gateway with messages that are cheap to send and costly to parse. Another operator's
// payment is still judged in its turn. The test counts how many flood messages are served meanwhile, because a
// count does not depend on the machine.
import { expect, test } from 'vitest';
import { fromTheOther, other } from '../harness/another-payer.ts';
import { testGateway } from '../harness/gateway.ts';
import { submit } from '../harness/payer.ts';

const gateway = await testGateway();

const flooder = 'SGDFAST';
const connections = 40; // an ordinary client keeps that many open
const fairShare = 40; // flood messages that may be served while another operator's message waits (floods.test.ts)

const callback = encodeURIComponent(gateway.sandbox.callbackUrl(flooder));
const namespace = (message: string) => `xmlns="urn:iso:std:iso:20022:tech:xsd:${message}"`;

/** 48 KB that take about 7 ms to parse: just below the limits of intake. */
const elements = (message: string, root: string) =>
  `<Document ${namespace(message)}><${root}>${'<Qq>x</Qq>'.repeat(4_800)}</${root}></Document>`;
const attributes = (message: string, root: string) =>
  `<Document ${namespace(message)} ${Array.from({ length: 4_800 }, (_, n) => `a${n}="x"`).join(' ')}><${root}/></Document>`;

/** None has ids, so none is stored. */
const floods: readonly (readonly [name: string, path: string, body: string])[] = [
  ['dry runs', '/iso20022/validate', elements('pacs.008.001.13', 'FIToFICstmrCdtTrf')],
  [
    'payments',
    `/iso20022/pacs008?pacs002Endpoint=${callback}`,
    attributes('pacs.008.001.13', 'FIToFICstmrCdtTrf'),
  ],
  ['reports', '/iso20022/pacs002', elements('pacs.002.001.15', 'FIToFIPmtStsRpt')],
  [
    'resolutions',
    `/iso20022/acmt023?acmt024Endpoint=${callback}`,
    elements('acmt.023.001.04', 'IdVrfctnReq'),
  ],
];

/** Floods until it is stopped. */
async function startFlood(path: string, body: string) {
  const headers = {
    authorization: `Bearer ${await gateway.token(flooder)}`,
    'content-type': 'application/xml',
  };
  let isOn = true;
  let served = 0;
  const oneAfterAnother = async () => {
    while (isOn) {
      const response = await fetch(`${gateway.url}${path}`, { method: 'POST', headers, body });
      await response.arrayBuffer();
      if (response.status !== 429) served += 1;
    }
  };
  const flood = Array.from({ length: connections }, oneAfterAnother);
  return {
    served: () => served,
    stop: () => {
      isOn = false;
      return Promise.all(flood);
    },
  };
}

test.each(floods)(
  'under a flood of costly %s that are refused at once the payment of another operator is judged in its turn (SEC-7, I-16)',
  async (_, path, body) => {
    await submit(gateway, await fromTheOther(gateway), { clientId: other }); // warms up
    const payments = [await fromTheOther(gateway), await fromTheOther(gateway)];
    const flood = await startFlood(path, body);
    await expect.poll(flood.served, { timeout: 10_000, interval: 5 }).toBeGreaterThan(connections / 2);
    const meanwhile: number[] = [];
    for (const payment of payments) {
      const before = flood.served();
      const answer = await submit(gateway, payment, { clientId: other });
      meanwhile.push(flood.served() - before);
      expect(answer.report?.status).toBe('ACTC');
    }
    await flood.stop();
    expect(Math.max(...meanwhile)).toBeLessThanOrEqual(fairShare);
  },
  30_000,
);
