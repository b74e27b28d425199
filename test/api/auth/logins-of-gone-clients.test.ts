// Whoever leaves takes along its place in the line of logins: the next client finds none of those that are gone (SEC-7).
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { testDatabase } from '../../harness/database.ts';
import { open } from '../http/raw-http.ts';
import { startApi, type RunningApi } from '../http/running-api.ts';

const database = await testDatabase();
let api: RunningApi;
let answered = 0;
beforeAll(async () => {
  api = await startApi(database.url, {
    onAnswered: () => {
      answered += 1;
    },
  });
});
afterAll(() => api.close());

const form = 'grant_type=client_credentials&client_id=nobody&client_secret=wrong';
const login = `POST /oauth/token HTTP/1.1\r\nHost: isthmus.test\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: ${form.length}\r\n\r\n${form}`;

test('a login is not turned away because of a thousand whose clients have left (SEC-7)', async () => {
  const honest = await api.db.transaction().execute(async (trx) => {
    await sql`lock table clients in access exclusive mode`.execute(trx); // so that nothing ends while the test looks
    const before = answered;
    for (let client = 0; client < 70; client += 1) {
      const socket = await open(api.url);
      socket.write(login.repeat(30));
      await new Promise((resolve) => setTimeout(resolve, 60));
      socket.destroy();
      await sql`select 1`.execute(trx); // a transaction that stands still for seconds is ended
    }
    await expect.poll(() => answered - before).toBe(70 * 30); // each is over, and its client gone
    const asked = api.request('/oauth/token', {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: 'THBPPAY',
        client_secret: 'demo-THBPPAY',
      }),
    });
    await Promise.race([asked, new Promise((resolve) => setTimeout(resolve, 300))]);
    return asked.constructor === Promise ? { asked } : { asked };
  });
  const { status, text } = await honest.asked;
  expect([status, text.slice(0, 100)]).toEqual([200, expect.anything()]);
}, 40_000);
