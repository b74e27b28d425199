// Whoever sends guesses learns nothing of which clients there are, keeps nobody from logging in, and is seen by operators
// (SEC-1, SEC-7, OBS-2).
import { pino } from 'pino';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { unlimited } from '../../../core/settings/config.ts';
import { makeSecret, saltedHashOf } from '../../../db/scheme/secrets.ts';
import { testDatabase } from '../../harness/database.ts';
import { startApi, type RunningApi } from '../http/running-api.ts';

const database = await testDatabase();
const log: string[] = [];
const failed: string[] = [];
const turnedAway: string[] = [];
const { secret, hash } = await makeSecret();
let api: RunningApi;
beforeAll(async () => {
  api = await startApi(database.url, {
    config: { ...unlimited, trustedProxies: ['127.0.0.1'] },
    logger: pino({ level: 'warn' }, { write: (line: string) => void log.push(line) }),
    metrics: {
      failedLogin: (client) => void failed.push(client),
      turnedAwayLogin: (client) => void turnedAway.push(client),
    },
  });
  await sql`delete from client_secrets where client_id in ('MERISGS0', 'LOTUSGS0')`.execute(api.db);
  await api.db
    .insertInto('client_secrets')
    .values({ client_id: 'MERISGS0', secret_id: 'made here', ...columns(hash) })
    .execute();
});
beforeEach(() => {
  for (const list of [log, failed, turnedAway]) list.length = 0;
});
afterAll(() => api.close());

const columns = (kept: string) => {
  const { algorithm, salt, digest, tag } = saltedHashOf(kept);
  const bytes = (column: string) => Buffer.from(column.slice(2), 'hex');
  return { algorithm, salt: bytes(salt), digest: bytes(digest), tag: tag === null ? null : bytes(tag) };
};

const login = (client: string, secretGiven: string, from: string) =>
  api.request('/oauth/token', {
    method: 'POST',
    headers: { 'x-forwarded-for': from },
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: client,
      client_secret: secretGiven,
    }),
  });

describe('guesses', () => {
  it('by hundreds at once, from as many addresses, for one client or for all: its first login is not kept waiting', async () => {
    const names = ['MERISGS0', 'LOTUSGS0', 'NOBODY00'];
    const guesses = Array.from({ length: 300 }, (_, nth) =>
      login(names[nth % 3] ?? '', `guess ${nth}`, `10.0.${nth >> 8}.${nth & 255}`),
    );
    expect((await login('MERISGS0', secret, '192.0.2.1')).status).toBe(200);
    const statuses = new Set((await Promise.all(guesses)).map(({ status }) => status));
    expect([...statuses]).toEqual([401]); // nobody waited for 5 s
  });

  it('of a client with a secret, of one that has none, and of nobody are answered with the same bytes', async () => {
    const answers = await Promise.all(
      ['MERISGS0', 'LOTUSGS0', 'NOBODY00'].map((name) => login(name, 'guess', '203.0.113.5')),
    );
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
  });

  it('are in the log and in the metrics, of clients that there are; a name that nobody has is not repeated', async () => {
    await login('MERISGS0', 'guess', '192.0.2.1');
    await login('Aisha Tan', 'guess', '192.0.2.1');
    expect(log.map((line) => JSON.parse(line) as object)).toEqual([
      expect.objectContaining({ client: 'MERISGS0', msg: 'a secret of a client was refused' }),
    ]);
    expect(failed).toEqual(['MERISGS0', '']);
  });
});

it('by hundreds at one that was brought along: whose turn does not come is told so, and counted', async () => {
  const { hash: withTag } = await makeSecret();
  const brought = { client_id: 'BANYDES0', secret_id: 'brought', ...columns(withTag), tag: null };
  await sql`delete from client_secrets where client_id = ${brought.client_id}`.execute(api.db);
  await api.db.insertInto('client_secrets').values(brought).execute();
  // each takes a processor for some 40 ms, one after the other, and 5 s are for some hundred of them
  const answers = await Promise.all(
    Array.from({ length: 400 }, (_, nth) =>
      login(brought.client_id, `guess ${nth}`, `10.0.${nth >> 8}.${nth & 255}`),
    ),
  );
  const told = answers.filter(({ status }) => status === 429);
  expect(told.length).toBeGreaterThan(0);
  expect(new Set(told.map(({ text }) => (JSON.parse(text) as { detail: string }).detail))).toEqual(
    new Set([
      expect.stringMatching(/^More logins that name this client wait .* The secret was not looked at/),
    ]),
  );
  expect(turnedAway).toEqual(told.map(() => brought.client_id));
  expect(failed).toEqual(Array.from({ length: answers.length - told.length }, () => brought.client_id));
});
