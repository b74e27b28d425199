// Who gets into the portal, how long, and what another site or a thief can do with a session.
import { connect } from 'node:net';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { testGateway } from '../harness/gateway.ts';
import { visitor } from './visitor.ts';

const gateway = await testGateway();
const enter = (clientId = 'operator') => visitor(gateway.url).signIn(clientId);

test('a wrong secret is refused as at the token endpoint, and starts no session', async () => {
  const person = visitor(gateway.url);
  const answer = await person.post('/portal/sign-in', { client_id: 'operator', client_secret: 'wrong' });
  expect(answer.status).toBe(401);
  expect(answer.headers.get('set-cookie')).toBeNull();
  expect((await person.get('/portal')).headers.get('location')).toBe('/portal/sign-in?to=%2Fportal');
});

test('the cookie is out of reach of scripts and of other sites, and the pages run no foreign script', async () => {
  const person = visitor(gateway.url);
  const answer = await person.post('/portal/sign-in', {
    client_id: 'operator',
    client_secret: 'demo-operator',
  });
  expect(answer.headers.get('set-cookie')).toMatch(/HttpOnly.*SameSite=Lax/);
  const page = await person.get('/portal');
  expect(page.headers.get('content-security-policy')).toMatch(/default-src 'none'.*script-src 'self'/);
  expect(page.headers.get('content-security-policy')).not.toContain('unsafe');
  expect(page.headers.get('cache-control')).toBe('no-store');
});

test('a session that another knows before sign-in is of no use after it', async () => {
  const person = await enter();
  const before = person.cookie;
  await person.post('/portal/sign-in', { client_id: 'operator', client_secret: 'demo-operator' });
  expect(person.cookie).not.toBe(before);
  expect((await visitor(gateway.url, before).get('/portal')).status).toBe(303);
});

test('a cookie that was stolen ends at sign-out', async () => {
  const person = await enter();
  const stolen = person.cookie;
  await person.post('/portal/sign-out', { csrf: await person.csrf() });
  expect((await visitor(gateway.url, stolen).get('/portal')).status).toBe(303);
});

test('the database has neither the cookie nor the claims in the clear', async () => {
  const person = await enter('SGDFAST');
  const id = person.cookie?.split('=')[1] ?? 'none';
  const { rows } = await sql<{
    row: string;
  }>`select portal_sessions::text as row from portal_sessions`.execute(gateway.db);
  expect(rows.length).toBeGreaterThan(0);
  for (const { row } of rows) {
    expect(row).not.toContain(id);
    expect(row).not.toContain('clearingSystemId');
  }
});

describe('a session ends', () => {
  test('after half an hour without a page, although a live page was open', async () => {
    const person = await enter();
    await sql`update portal_sessions set seen_at = clock_timestamp() - interval '31 minutes'`.execute(
      gateway.db,
    );
    expect((await person.get('/portal')).status).toBe(303);
  });

  test('after twelve hours', async () => {
    const person = await enter();
    await sql`update portal_sessions set ends_at = clock_timestamp()`.execute(gateway.db);
    expect((await person.get('/portal')).status).toBe(303);
  });

  test('with its client', async () => {
    const person = await enter('BANYSGS0');
    expect((await person.get('/portal')).status).toBe(200);
    await sql`delete from client_secrets where client_id = 'BANYSGS0'`.execute(gateway.db);
    await expect.poll(async () => (await person.get('/portal')).status, { timeout: 60_000 }).toBe(303);
  });
});

describe('a form of another site is refused', () => {
  const act = { 'at.party': 'THBPPAY', 'f.because': 'attack', back: '/portal/parties' };

  test.each([
    ['without the token of the session', {}, {}],
    ['with another token', { csrf: 'A'.repeat(43) }, {}],
    ['with a token of other letters', { csrf: 'é'.repeat(43) }, {}],
  ])('%s', async (_, fields, headers) => {
    const person = await enter();
    const answer = await person.post('/portal/acts/pause', { ...act, ...fields }, headers);
    expect(answer.status).toBe(403);
  });

  test('that names its own origin', async () => {
    const person = await enter();
    const csrf = await person.csrf();
    const answer = await person.post(
      '/portal/acts/pause',
      { ...act, csrf },
      { origin: 'https://evil.example' },
    );
    expect(answer.status).toBe(403);
    expect((await person.post('/portal/sign-in', {}, { origin: 'https://evil.example' })).status).toBe(403);
  });

  test.each([
    'https://evil.example/',
    '//evil.example',
    '/portal/../admin',
    '/portal/%2e%2e/%2e%2e/reference',
    '/portal/.%2E/reference',
    'javascript:alert(1)',
  ])('and no link leads from the portal to %s', async (to) => {
    const person = visitor(gateway.url);
    const answer = await person.post('/portal/sign-in', {
      client_id: 'operator',
      client_secret: 'demo-operator',
      to,
    });
    expect(answer.headers.get('location')).toBe('/portal');
  });
});

describe('a form that is made to hurt', () => {
  test('has very many fields: refused before they are read', async () => {
    const person = await enter('MERISGS0');
    const csrf = await person.csrf();
    const fields = Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`at.a${n}`, '']));
    expect((await person.post('/portal/acts/alert', { csrf, ...fields })).status).toBe(413);
  });

  test.each([
    ['redeliver', { 'at.uetr': '..', 'f.kinds': 'callback' }],
    ['alert', { 'at.alertId': '.', 'f.action': 'take' }],
  ])('leads to no other route than that of its act: %s', async (act, fields) => {
    const person = await enter();
    const answer = await person.post(`/portal/acts/${act}`, {
      csrf: await person.csrf(),
      back: '/portal',
      ...fields,
    });
    expect(answer.status).toBe(404);
  });

  test('leads back to no other site', async () => {
    const person = await enter();
    const form = {
      csrf: await person.csrf(),
      back: '/portal/..//evil.example/x',
      'at.party': 'THBPPAY',
      'f.because': 'x',
    };
    expect((await person.post('/portal/acts/pause', form)).headers.get('location')).toMatch(
      /^\/portal\?done=pause\.[\w-]+$/,
    );
    await person.post('/portal/acts/resume', { ...form, back: '/portal' });
  });

  test('a document with a repeated member is refused as by the API (SEC-4)', async () => {
    const person = await enter();
    const objects = '[{"kind":"fee-formulas","kind":"currencies","ends":"XXX"}]';
    const form = { csrf: await person.csrf(), back: '/portal', 'f.because': 'x', 'f.objects': objects };
    const answer = await person.post('/portal/acts/propose', form);
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain('more than once');
  });
});

test('a browser that goes before its page begins keeps no turn of its party (SEC-7)', async () => {
  const person = await enter('MERISGS0');
  const { hostname, port } = new URL(gateway.url);
  const { books } = (await (
    await fetch(`${gateway.url}/books`, {
      headers: { authorization: `Bearer ${await gateway.token('MERISGS0')}` },
    })
  ).json()) as { books: readonly { sap: string; account: string }[] };
  const query = new URLSearchParams({ ...books[0], date: '2026-01-05' });
  query.delete('clearingSystem');
  query.delete('currency');
  const head = `HEAD /portal/books/csv?${query.toString()} HTTP/1.1\r\nHost: ${hostname}\r\nCookie: ${person.cookie ?? ''}\r\n\r\n`;
  for (let n = 0; n < 20; n += 1) {
    const socket = connect(Number(port), hostname);
    await new Promise<void>((resolve) => socket.write(head, () => resolve()));
    if (n % 2 === 0) await new Promise((resolve) => setTimeout(resolve, n));
    socket.destroy();
  }
  const read = async () =>
    (
      await fetch(`${gateway.url}/reconciliation?${query.toString()}`, {
        headers: { authorization: `Bearer ${await gateway.token('MERISGS0')}` },
      })
    ).status;
  await expect.poll(read).toBe(200);
});

test('a link of somebody else never says that something was done', async () => {
  const person = await enter();
  for (const done of ['confirmOutcome', 'confirmOutcome.', `pause.${'A'.repeat(16)}`])
    expect(await (await person.get(`/portal/payments?done=${done}`)).text()).not.toContain(
      'role="status">Con',
    );
  const other = await enter('operator2');
  const form = { csrf: await other.csrf(), back: '/portal/parties', 'at.party': 'THBPPAY', 'f.because': 'x' };
  const location = (await other.post('/portal/acts/pause', form)).headers.get('location') ?? '';
  expect(await (await other.get(location)).text()).toContain('class="notice good" role="status">Paused.');
  expect(await (await person.get(location)).text()).not.toContain('role="status">Paused.');
  await other.post('/portal/acts/resume', form);
});

test('a live page whose part is away says that it is not current (OBS-6)', async () => {
  const person = await enter();
  const answer = await fetch(
    `${gateway.url}/portal/live?page=${encodeURIComponent('/portal/payments?id=INV..2026')}`,
    {
      headers: { cookie: person.cookie ?? '' },
    },
  );
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  if (reader === undefined) throw new Error('there is no stream');
  const next = async () => {
    const { value } = await reader.read();
    if (value === undefined) throw new Error('the stream has ended');
    return value;
  };
  expect(await next()).toContain('INV..2026'); // the page that was asked for
  await gateway.db.transaction().execute(async (trx) => {
    await sql`lock table payments in access exclusive mode`.execute(trx);
    let event = '';
    while (!event.includes('event: stale')) event = await next();
  });
  let event = '';
  while (!event.includes('event: page')) event = await next();
  await reader.cancel();
});

test('a live page is made for nobody who does not read it, and for few at once of a session', async () => {
  const person = await enter();
  const headers = { cookie: person.cookie ?? '' };
  const open = () => fetch(`${gateway.url}/portal/live?page=%2Fportal`, { headers });
  for (let n = 0; n < 10; n += 1)
    await fetch(`${gateway.url}/portal/live?page=%2Fportal`, { headers, method: 'HEAD' });
  const opened = await Promise.all(Array.from({ length: 4 }, open));
  expect(await (await open()).text()).toContain('event: full');
  for (const { body } of opened) await body?.cancel();
  const begin = async () => {
    const reader = (await open()).body?.pipeThrough(new TextDecoderStream()).getReader();
    const first = await reader?.read();
    await reader?.cancel();
    return first?.value ?? '';
  };
  await expect.poll(begin).toContain('event: page');
});

describe('nobody sees by its address what the API refuses them', () => {
  test.each([
    ['LOTUSGS0', '/portal/alerts', 403],
    ['LOTUSGS0', '/portal/changes', 403],
    ['SGDFAST', '/portal/keys', 403],
    ['SGDFAST', '/portal/scheme/clients', 403],
    ['MERISGS0', '/portal/payments', 403],
    ['THBPPAY', '/portal/payments/6f1f3a52-9d0c-4f7e-8a43-2f4b7a1c9e01', 404],
    ['LOTUSGS0', '/portal/rates', 403],
  ])('%s at %s: %i', async (clientId, path, status) => {
    const person = await enter(clientId);
    const answer = await person.get(path);
    expect(answer.status).toBe(status);
    expect(await answer.text()).toContain('role="alert"');
  });

  test('an address that leads nowhere is a page too', async () => {
    for (const [path, status] of [
      ['/portal/nothing', 404],
      ['/portal/acts/pause', 405],
    ] as const) {
      const answer = await visitor(gateway.url).get(path);
      expect(answer.status).toBe(status);
      expect(answer.headers.get('content-type')).toContain('text/html');
    }
  });

  test('nor does it by a form', async () => {
    const person = await enter('LOTUSGS0');
    const csrf = await person.csrf();
    const answer = await person.post('/portal/acts/pause', {
      csrf,
      'at.party': 'THBPPAY',
      'f.because': 'x',
      back: '/portal',
    });
    expect(answer.status).toBe(403);
    expect(await answer.text()).toContain('requires the role operator');
  });
});
