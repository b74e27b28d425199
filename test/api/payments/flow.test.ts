// GET /flow: each role sees its own, and the destination's side neither the quote nor the FX provider.
import { expect, test } from 'vitest';
import { instruction } from '../../../fixtures/instruction.ts';
import { testGateway } from '../../harness/gateway.ts';
import { jsonRoutes } from '../../harness/json-routes.ts';
import { bestQuote, submit } from '../../harness/payer.ts';

interface Flow {
  readonly corridors: readonly {
    readonly corridor: string | null;
    readonly payments: number;
    readonly accepted: number;
    readonly p50Ms: number | null;
  }[];
  readonly quotes: readonly { readonly fxp: string; readonly issued: number; readonly used: number }[];
}

const gateway = await testGateway();
const ask = await jsonRoutes<Flow>(gateway);
const flow = async (clientId: string) => (await ask('GET', '/flow', undefined, clientId)).body;

test('each role sees the flow of its own payments and quotes (OBS-5, FX-9)', async () => {
  const quote = await bestQuote(gateway);
  await submit(gateway, instruction(quote), { prefer: 'wait=20' });
  const [operator, psp, destination, fxp, stranger] = await Promise.all(
    ['operator', 'LOTUSGS0', 'LOTUTHS0', quote.fxpfinInstId, 'LOTUDES0'].map(flow),
  );
  const mine = { corridor: 'SG-TH', payments: 1, accepted: 1 };
  expect(operator?.corridors).toEqual([expect.objectContaining(mine)]);
  expect(operator?.corridors[0]?.p50Ms).toBeGreaterThan(0);
  expect(operator?.quotes.length).toBeGreaterThan(1);
  expect(psp?.quotes.find(({ used }) => used > 0)?.fxp).toBe(quote.fxpfinInstId);
  expect(destination?.corridors).toEqual([expect.objectContaining(mine)]);
  expect(destination?.quotes).toEqual([]);
  expect(new Set(fxp?.quotes.map((one) => one.fxp))).toEqual(new Set([quote.fxpfinInstId]));
  expect(stranger).toMatchObject({ corridors: [], quotes: [] });
});

test.each(['0', '1441', 'x'])('minutes=%s is refused', async (minutes) => {
  expect((await ask('GET', `/flow?minutes=${minutes}`, undefined, 'operator')).status).toBe(400);
});
