// A long answer whose client goes: nobody waits for its rest, nothing of ours has failed, and what it read from is let go.
import { EventEmitter, once } from 'node:events';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RouteModule } from '../../../api/dependencies.ts';
import { streamed } from '../../../api/http/stream.ts';
import { testDatabase } from '../../harness/database.ts';
import { startApi, type RunningApi } from './running-api.ts';

const said: { readonly msg: string }[] = [];
const logger = pino({}, { write: (line: string) => void said.push(JSON.parse(line) as { msg: string }) });
const source = new EventEmitter();

async function* pages() {
  try {
    yield 'x'.repeat(100_000);
    source.emit('asked for the next page');
    await once(source, 'next page');
    yield 'y'.repeat(100_000);
  } finally {
    source.emit('let go');
  }
}

/** GET /long: its second page comes when the test says so. */
const long: RouteModule = (router) => {
  const route = { method: 'get', path: '/long', summary: '', tag: '', hidden: true, answers: {} } as const;
  router.addPublic({ ...route, operationId: 'long' }, (context) =>
    streamed(context, pages(), { contentType: 'text/csv', logger }),
  );
};

const database = await testDatabase();
let api: RunningApi;
beforeAll(async () => {
  api = await startApi(database.url, { logger, modules: [long] });
});
afterAll(() => api.close());

test('a client that leaves while the database is asked is no error of ours, and no answer that broke off (OBS-1)', async () => {
  const asked = once(source, 'asked for the next page');
  const letGo = once(source, 'let go');
  const client = new AbortController();
  const { body } = await fetch(`${api.url}/long`, { signal: client.signal });
  await body?.getReader().read();
  await asked;
  said.splice(0);
  client.abort();
  await expect.poll(() => said).toMatchObject([{ msg: 'request', status: 200 }]); // it was noticed
  source.emit('next page');
  await letGo;
  await new Promise((turn) => setImmediate(turn));
  expect(said.slice(1)).toEqual([]);
});
