// A payment system or FX provider has a trial message sent to its own addresses, and reads how each went.
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { setEndpoint } from '../../harness/destination.ts';
import { testGateway } from '../../harness/gateway.ts';
import { jsonRoutes } from '../../harness/json-routes.ts';
import { reading } from '../../harness/listening.ts';
import { problemTexts } from '../../harness/problem-texts.ts';
import { quietPort } from '../../harness/quiet-port.ts';
import { createLibxml2Engine } from '../../../xml/libxml2.ts';
import type { Db } from '../../../db/pool/connection.ts';

interface Trial {
  readonly url: string;
  readonly askedAt: string | null;
  readonly finishedAt: string | null;
  readonly outcome: string | null;
  readonly says: string | null;
}

const came: { readonly path: string; readonly body: Buffer }[] = [];
const answers = (status: number) =>
  reading((response, body, request) => {
    // a worker also sends the books of the day before
    if (body.includes('pacs.028')) came.push({ path: request.url ?? '', body });
    response.writeHead(status).end();
  });
const thailand = await answers(404);
const malaysia = await answers(200);
const outOfOrder = `${await answers(503)}/books`;
const nobody = `http://127.0.0.1:${await quietPort()}/books`;

const setBooks = (db: Db, party: string, url: string) =>
  sql`update book_endpoints set url = ${url} where party_id = ${party}`.execute(db);
const setNotifications = (db: Db, fxpId: string, url: string) =>
  sql`update fxp_endpoints set notification_url = ${url} where fxp_id = ${fxpId}`.execute(db);

const gateway = await testGateway({
  async prepare(db) {
    await setEndpoint(db, 'IPSO-TH', thailand);
    await setBooks(db, 'THBPPAY', outOfOrder);
    await setEndpoint(db, 'IPSO-MY', malaysia);
    await sql`delete from book_endpoints where party_id in ('MYRRPP', 'HK-ZENI')`.execute(db);
    await setNotifications(db, 'SG-MERI', 'amqps://broker.example/notifications');
    await setBooks(db, 'SG-MERI', nobody);
    await sql`delete from fxp_endpoints where fxp_id = 'HK-ZENI'`.execute(db);
  },
});
const { db } = gateway;
const ask = await jsonRoutes<readonly Trial[]>(gateway);
const post = (client: string) => ask('POST', '/endpoint-trials', {}, client);
const get = async (client: string) => (await ask('GET', '/endpoint-trials', undefined, client)).body;
const ended = (client: string) =>
  expect.poll(async () => (await get(client)).every(({ outcome }) => outcome !== null)).toBe(true);
const outcomes = (trials: readonly Trial[]) => trials.map(({ url, outcome, says }) => [url, outcome, says]);

test('a payment system has a valid pacs.028 sent to each of its addresses, and sees how each went', async () => {
  const enquiries = `${thailand}/iso20022/pacs028`;
  const untried = { askedAt: null, finishedAt: null, outcome: null, says: null };
  expect(await get('THBPPAY')).toEqual([
    { url: enquiries, ...untried },
    { url: outOfOrder, ...untried },
  ]);
  const { status, body } = await post('THBPPAY');
  expect(status).toBe(202);
  expect(body.map(({ url }) => url)).toEqual([enquiries, outOfOrder]);
  await ended('THBPPAY');
  expect(outcomes(await get('THBPPAY'))).toEqual([
    [enquiries, 'answered', 'It answered HTTP 404.'],
    [outOfOrder, 'failed', 'It answered HTTP 503.'],
  ]);
  const engine = createLibxml2Engine();
  const mine = came.filter(({ path }) => path === '/iso20022/pacs028' || path === '/books');
  expect(mine.map(({ path }) => path).sort()).toEqual(['/books', '/iso20022/pacs028']); // once each
  for (const message of mine) {
    const parsed = engine.parse(message.body, ['pacs028']);
    expect(parsed.ok && (await parsed.value.validate())).toEqual([]);
  }
  // nobody else sees it
  expect((await get('SGDFAST')).every(({ askedAt }) => askedAt === null)).toBe(true);
});

test('an FX provider sees that nobody answers; its queue gets no trial message', async () => {
  expect((await post('MERISGS0')).status).toBe(202);
  await ended('MERISGS0');
  expect(outcomes(await get('MERISGS0'))).toEqual([[nobody, 'failed', 'Nobody answered (refused).']]);
});

test('a repeat joins a trial that is under way or was asked for within 10 s; after that, one more is sent', async () => {
  const trial = async () => (await get('MYRRPP'))[0];
  const sent = () => came.filter(({ path }) => path === '/joined/iso20022/pacs028').length;
  const url = `${malaysia}/joined`;
  await setEndpoint(db, 'IPSO-MY', url);
  await expect.poll(async () => (await trial())?.url).toBe(`${url}/iso20022/pacs028`);
  // asked for long ago, and held by a worker until long after this test
  await sql`insert into endpoint_trials (party_id, url, asked_at, claimed_at) values ('MYRRPP', ${`${url}/iso20022/pacs028`},
    clock_timestamp() - interval '1 hour', clock_timestamp() + interval '1 hour')`.execute(db);
  const underWay = await trial();
  expect((await post('MYRRPP')).body).toEqual([underWay]);
  // asked for a moment ago, however slow this machine is
  await sql`update endpoint_trials set asked_at = clock_timestamp() + interval '1 hour',
    finished_at = clock_timestamp(), outcome = 'failed', says = 'an earlier one' where party_id = 'MYRRPP'`.execute(
    db,
  );
  const fresh = await trial();
  expect((await post('MYRRPP')).body).toEqual([fresh]);
  expect(sent()).toBe(0);
  await sql`update endpoint_trials set asked_at = clock_timestamp() - interval '11 seconds' where party_id = 'MYRRPP'`.execute(
    db,
  );
  expect((await post('MYRRPP')).status).toBe(202);
  await ended('MYRRPP');
  expect(await trial()).toMatchObject({ outcome: 'answered', says: 'It answered HTTP 200.' });
  expect(sent()).toBe(1);
});

test('a party without an HTTP address is told so', async () => {
  expect(await get('ZENIHKS0')).toEqual([]);
  const { status, body } = await post('ZENIHKS0');
  expect({ status, body }).toMatchObject({
    status: 409,
    body: { code: 'no-endpoint', detail: problemTexts['no-endpoint'].told },
  });
});
