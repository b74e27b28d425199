// Who paused whom, when and why, also after the pause has ended (LIF-5).
import { beforeEach, expect, test } from 'vitest';
import { show } from '../../../cli/ops/commands.ts';
import { listPauses, pauseOrResume } from '../../../cli/ops/pause.ts';
import { opsOn } from '../../cli/ops-context.ts';
import { evidenceOf } from '../../harness/evidence.ts';
import { testGateway } from '../../harness/gateway.ts';
import { instruction } from '../../../fixtures/instruction.ts';
import { jsonRoutes } from '../../harness/json-routes.ts';
import { bestQuote, submit } from '../../harness/payer.ts';
import { eventually } from '../../harness/wait.ts';

const gateway = await testGateway();
const evidence = evidenceOf(gateway);
const { lines, context } = opsOn(gateway);
beforeEach(() => void lines.splice(0));

interface Shown {
  readonly party: string;
  readonly by: string;
  readonly at: string;
  readonly because: string;
  readonly resumedBy: string | null;
  readonly resumedAt: string | null;
  readonly resumedBecause: string | null;
}
const ask = await jsonRoutes<readonly Shown[] & { readonly code?: string; readonly detail?: string }>(
  gateway,
);
const act = (path: string, because: string, client?: string) => ask('POST', path, { because }, client);

test('a pause that is over stays on record, with who ended it; the newest comes first (LIF-5)', async () => {
  await act('/parties/THBPPAY/pause', 'their mail of 03:10');
  await act('/parties/THBPPAY/resumption', 'they are back', 'operator2');
  await act('/parties/THBPPAY/pause', 'again');
  const { body } = await ask('GET', '/pauses?party=THBPPAY');
  expect(body).toMatchObject([
    { party: 'THBPPAY', by: 'operator', because: 'again', resumedBy: null, resumedAt: null },
    { because: 'their mail of 03:10', resumedBy: 'operator2', resumedBecause: 'they are back' },
  ]);
  const [newest, oldest] = body;
  expect(oldest?.resumedAt).toMatch(/^20.*Z$/);
  const before = encodeURIComponent(newest?.at ?? '');
  expect((await ask('GET', `/pauses?party=THBPPAY&to=${before}`)).body).toEqual([oldest]);
  const nothing = await ask('GET', `/pauses?from=${before}&to=${before}`);
  expect([nothing.status, nothing.body]).toMatchObject([400, { errors: [{ parameter: 'to' }] }]);
  expect((await ask('GET', '/pauses?limit=1')).body).toEqual([newest]);
  expect((await ask('GET', '/pauses?party=MYRRPP')).body).toEqual([]);
  expect((await ask('GET', '/pauses?party=MERISGS0')).body).toEqual([]);
  expect((await ask('GET', '/pauses?party=NOWHERE')).status).toBe(404);
  expect((await ask('GET', '/pauses', undefined, 'SGDFAST')).status).toBe(403);

  const twice = await act('/parties/THBPPAY/pause', 'me too', 'operator2');
  expect([twice.status, twice.body.code]).toEqual([409, 'already-paused']);
  expect(twice.body.detail).toBe(
    `operator paused THBPPAY at ${newest?.at ?? ''} ("again"). POST /parties/THBPPAY/resumption (ops resume) ends the pause.`,
  );
  await act('/parties/THBPPAY/resumption', 'over');
});

test('ops pauses lists them, and ops show names the pause by which a payment was refused (LIF-5)', async () => {
  const refused = async () => {
    const message = instruction(await bestQuote(gateway, { destination: 'MY', destinationCurrency: 'MYR' }));
    return { uetr: message.uetr, status: (await submit(gateway, message)).report?.status };
  };
  await pauseOrResume(context(), 'pause', { party: 'MYRRPP', because: 'maintenance' });
  const last = await eventually(async () => {
    const { uetr, status } = await refused();
    expect(status).toBe('RJCT');
    return uetr;
  });
  await pauseOrResume(context(), 'resume', { party: 'MYRRPP', because: 'they are back' });
  await pauseOrResume(context(), 'pause', { party: 'MYRRPP', because: 'another time' });
  await evidence.closed(last);
  lines.splice(0);
  await show(context(), last, {});
  expect(lines[1]).toMatch(/^RJCT \(ED06 settlement system not available, LIF-5\) by gateway at 20/);
  const pauses = lines.filter(
    (line) => line.startsWith('MYRRPP was paused') || line.includes('MYRRPP is paused'),
  );
  expect(pauses).toEqual([
    expect.stringMatching(
      /^MYRRPP was paused 20.{17} by operator: maintenance; until 20.{17} by operator: they are back$/,
    ),
  ]);
  lines.splice(0);
  await listPauses(context(), { party: 'MYRRPP' }, { limit: '50' });
  expect(lines).toHaveLength(2);
  expect(lines[0]).toMatch(/^MYRRPP is paused since 20.{17} by operator: another time$/);
  expect(lines[1]).toMatch(/^MYRRPP was paused 20.{17} by operator: maintenance; until 20/);
  lines.splice(0);
  await listPauses(context(), { party: 'IDRBFAST' }, { limit: '50' });
  expect(lines).toEqual(['Nobody was ever paused like that.']);
});
