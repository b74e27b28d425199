// Rate limits of each client for requests and failed logins (SEC-7). The client is told what is left, and no other
// client is affected.
import { pino } from 'pino';
import { afterAll, afterEach, describe, expect, it, test } from 'vitest';
import { clientAddress, trusting } from '../../../api/http/client.ts';
import { createQuotas, minutesOfDay } from '../../../api/http/limits/quotas.ts';
import { shareCounts } from '../../../api/http/limits/share-counts.ts';
import { unlimited } from '../../../core/settings/config.ts';
import { connect } from '../../../db/pool/connection.ts';
import { testDatabase } from '../../harness/database.ts';
import { problemTexts } from '../../harness/problem-texts.ts';
import { startApi, type ApiOptions, type RunningApi } from '../http/running-api.ts';

const database = await testDatabase();
const started: RunningApi[] = [];
afterAll(() => Promise.all(started.map((api) => api.close())));

const minuteMs = 60_000;
/** In the middle of a minute: no test meets its end. */
const midMinute = Math.floor(Date.now() / minuteMs) * minuteMs + 20_000;
let aheadMs = 0;
afterEach(() => {
  aheadMs = Math.ceil((aheadMs + 1) / minuteMs) * minuteMs; // each test has a minute of its own
});
/** Of all processes. */
const clock = () => midMinute + aheadMs;

async function limited(
  senderLimits: Partial<(typeof unlimited)['senderLimits']>,
  config: ApiOptions['config'] = {},
): Promise<RunningApi> {
  const api = await startApi(database.url, {
    clock,
    config: { ...config, senderLimits: { ...unlimited.senderLimits, ...senderLimits } },
  });
  started.push(api);
  return api;
}

const path = '/currencies';

describe('requests of one client to one route', async () => {
  const api = await limited({ requestsPerMinute: 5 });

  it('each answer says what is left; then 429 says when to come again', async () => {
    const left: (string | null)[] = [];
    for (let nth = 1; nth <= 5; nth += 1) {
      const { status, headers } = await api.get(path);
      expect(status).toBe(200);
      expect(headers.get('ratelimit-policy')).toBe('"per-minute";q=5;w=60, "per-second";q=10;w=1');
      left.push(headers.get('ratelimit'));
    }
    expect(left).toEqual([4, 3, 2, 1, 0].map((remaining) => `"per-minute";r=${remaining};t=40`));
    const { status, headers, body } = await api.get(path);
    expect(status).toBe(429);
    expect(body).toMatchObject({
      code: 'too-many-requests',
      ruleId: 'SEC-7',
      detail: problemTexts['too-many-requests'].told,
    });
    expect(headers.get('retry-after')).toBe('40');
    expect(headers.get('ratelimit')).toBe('"per-minute";r=0;t=40');
  });

  it('an answer from memory, a refused role and a wrong parameter count like others', async () => {
    for (const asked of ['/countries', '/countries', '/countries', '/countries', '/countries'])
      await api.get(asked);
    expect((await api.get('/countries')).status).toBe(429);
    for (let nth = 1; nth <= 5; nth += 1)
      expect((await api.get('/payments?limit=x', 'LOTUSGS0')).status).toBe(400);
    expect((await api.get('/payments?limit=x', 'LOTUSGS0')).status).toBe(429);
    for (let nth = 1; nth <= 5; nth += 1) expect((await api.get('/alerts', 'LOTUSGS0')).status).toBe(403);
    expect((await api.get('/alerts', 'LOTUSGS0')).status).toBe(429);
  });

  it('others, and other routes, have all of theirs', async () => {
    for (let nth = 1; nth <= 6; nth += 1) await api.get(path);
    expect((await api.get(path)).status).toBe(429);
    expect((await api.get(path, 'SGDFAST')).status).toBe(200);
    expect((await api.get('/currencies/SGD')).status).toBe(200);
    expect((await api.request('/health/live')).status).toBe(200);
  });
});

test('not all of a minute at once: in a second no more than a tenth of it, and at least ten', () => {
  let nowMs = midMinute;
  const quotas = createQuotas(() => nowMs);
  const used = (name: string, limit: number) => {
    let taken = 0;
    while (!quotas.use(name, limit).isOver) taken += 1;
    return taken;
  };
  expect(used('a', 600)).toBe(60);
  expect(quotas.use('a', 600)).toMatchObject({
    remaining: 540,
    retrySeconds: 1,
    resetSeconds: 40,
    isOver: true,
  });
  expect(used('b', 30)).toBe(10);
  nowMs += 1_000;
  expect([used('a', 600), used('b', 30)]).toEqual([60, 10]);
  nowMs += 1_000;
  expect([used('a', 600), used('b', 30), used('b', 30)]).toEqual([60, 10, 0]);
  expect(quotas.use('b', 30)).toMatchObject({ remaining: 0, retrySeconds: 38 });
});

describe('two apis', async () => {
  // of one second a hundred, and no more in all
  const [here, there] = [
    await limited({ requestsPerMinute: 100 }),
    await limited({ requestsPerMinute: 100 }),
  ];

  it('count together, within a second or so', async () => {
    for (let nth = 1; nth <= 90; nth += 1) {
      if (nth % 10 === 0) aheadMs += 1_000; // ten of each second
      await here.get(path);
    }
    await expect
      .poll(async () => (await there.get('/currencies')).headers.get('ratelimit'), { interval: 500 })
      .toMatch(/r=[0-9];/);
    const statuses = [];
    for (let nth = 1; nth <= 20; nth += 1) statuses.push((await there.get(path)).status);
    expect(statuses).toContain(429);
    await expect.poll(async () => (await here.get(path)).status).toBe(429);
  });

  it('each counts by itself while the database is away, and together when it is back', async () => {
    const quotas = createQuotas(clock);
    for (let nth = 1; nth <= 3; nth += 1) quotas.use('a', 10);
    const away = quotas.share(({ counts }) => {
      expect(counts).toEqual([{ name: 'a', count: 3 }]);
      quotas.use('a', 10);
      return Promise.reject(new Error('the database is away'));
    });
    await expect(away).rejects.toThrow('away');
    await quotas.share(({ counts }) => {
      expect(counts).toEqual([{ name: 'a', count: 4 }]);
      return Promise.resolve([{ name: 'a', count: 9 }]);
    });
    expect(quotas.use('a', 10)).toMatchObject({ remaining: 0, isOver: false });
    expect(quotas.use('a', 10).isOver).toBe(true);
    quotas.use('b', 10);
    await quotas.share(() => {
      aheadMs += minuteMs; // the minute is over before the others have answered
      return Promise.resolve([{ name: 'b', count: 99 }]);
    });
    expect(quotas.use('b', 10).isOver).toBe(false);
  });
});

test('what is counted by the day is counted together, and outlives the minutes (OVL-2)', async () => {
  const dayMs = minutesOfDay * minuteMs;
  let nowMs = (Math.floor(Date.now() / dayMs) + 2.5) * dayMs; // noon of a day that no other test is in
  const ofThatDay = () => nowMs;
  const db = connect(database.url, { applicationName: 'isthmus-test', maxConnections: 2 });
  const processes = ['here', 'there'].map(() => {
    const [quotas, ofDay] = [createQuotas(ofThatDay), createQuotas(ofThatDay, minutesOfDay)];
    return { quotas, ofDay, counts: shareCounts(db, [quotas, ofDay], pino({ level: 'silent' })) };
  });
  const left = () => processes.map(({ ofDay }) => ofDay.look('bytes', 100).remaining);
  try {
    for (const remaining of [70, 40]) {
      for (const { quotas, ofDay } of processes) {
        quotas.note('in a minute', 10);
        ofDay.note('bytes', 100, 15);
      }
      // who tells last knows of both; the other with what it counts next
      await expect.poll(() => Math.min(...left())).toBe(remaining);
      nowMs += 3 * minuteMs;
    }
  } finally {
    for (const { counts } of processes) await counts.close();
    await db.destroy();
  }
});

describe('logins that fail', async () => {
  const api = await limited({ failedLoginsPerMinute: 3 }, { trustedProxies: ['127.0.0.1', '10.1.0.0/16'] });

  const login = (client: string, secret: string, forwardedFor?: string) =>
    api.request('/oauth/token', {
      method: 'POST',
      headers: {
        authorization: `Basic ${Buffer.from(`${client}:${secret}`).toString('base64')}`,
        ...(forwardedFor !== undefined && { 'x-forwarded-for': forwardedFor }),
      },
      body: new URLSearchParams({ grant_type: 'client_credentials' }),
    });
  const right = 'demo-LOTUSGS0';

  it('after a few neither a wrong nor the right secret is looked at from there, for the rest of the minute', async () => {
    for (let nth = 1; nth <= 3; nth += 1)
      expect((await login('LOTUSGS0', `guess ${nth}`, '203.0.113.9')).status).toBe(401);
    const refused = await login('LOTUSGS0', right, '203.0.113.9');
    expect(refused.status).toBe(429);
    expect(refused.body.detail).toContain('Neither a secret nor an assertion was looked at');
    expect(refused.headers.get('retry-after')).toBe('40');
    aheadMs += minuteMs;
    expect((await login('LOTUSGS0', right, '203.0.113.9')).status).toBe(200);
  });

  it('who is elsewhere, and other clients from there, get in', async () => {
    for (let nth = 1; nth <= 4; nth += 1) await login('LOTUSGS0', 'guess', '203.0.113.9');
    expect((await login('LOTUSGS0', right, '203.0.113.10')).status).toBe(200);
    expect((await login('MERISGS0', 'demo-MERISGS0', '203.0.113.9')).status).toBe(200);
  });

  it('whoever tries one client after another from one address is stopped too', async () => {
    for (let nth = 1; nth <= 30; nth += 1)
      expect((await login(`client-${nth}`, 'x', '203.0.113.9')).status).toBe(401);
    expect((await login('client-31', 'x', '203.0.113.9')).status).toBe(429);
    expect((await login('LOTUSGS0', right, '203.0.113.10')).status).toBe(200);
  });

  it('what a stranger writes into X-Forwarded-For moves nobody else, nor itself', async () => {
    // our proxy adds where it came from; before that stands what the stranger wrote
    for (let nth = 1; nth <= 3; nth += 1) await login('LOTUSGS0', 'guess', `198.51.100.${nth}, 203.0.113.9`);
    expect((await login('LOTUSGS0', right, '198.51.100.77, 203.0.113.9')).status).toBe(429);
    expect((await login('LOTUSGS0', right, '203.0.113.9, 10.1.2.3')).status).toBe(429); // by two proxies of ours
    expect((await login('LOTUSGS0', right, '203.0.113.9, 10.2.2.3')).status).toBe(200); // not ours: it is the client
  });
});

describe('where a request comes from', () => {
  const from = (remoteAddress: string, forwarded: string | undefined, trusted: readonly string[]) =>
    clientAddress(
      {
        env: { incoming: { socket: { remoteAddress }, headers: { 'x-forwarded-for': forwarded } } },
      } as never,
      trusting(trusted),
    );
  it.each([
    ['192.0.2.1', undefined, [], '192.0.2.1'],
    ['192.0.2.1', '203.0.113.9', [], '192.0.2.1'], // nobody is believed
    ['192.0.2.1', '203.0.113.9', ['192.0.2.1'], '203.0.113.9'],
    ['192.0.2.1', 'unknown', ['192.0.2.1'], '192.0.2.1'],
    ['192.0.2.1', '203.0.113.9:4711', ['192.0.2.1'], '203.0.113.9'],
    ['192.0.2.1', '[2001:db8::1]:443', ['192.0.2.1'], '2001:db8:0:0'],
    ['192.0.2.1', '0:0:0:0:0:FFFF:198.51.100.1', ['192.0.2.1'], '198.51.100.1'],
    ['192.0.2.1', '[198.51.100.1', ['192.0.2.1'], '192.0.2.1'],
    ['192.0.2.1', '198.51.100.1:x', ['192.0.2.1'], '192.0.2.1'],
    ['::ffff:c000:201', '203.0.113.9', ['192.0.2.1'], '203.0.113.9'],
    ['fe80::1%eth0', '203.0.113.9', ['fe80::/10'], '203.0.113.9'],
    ['192.0.2.1', '192.0.2.1, 192.0.2.1', ['192.0.2.1'], '192.0.2.1'],
    ['fd00::1', '2001:db8:1:2:3:4:5:6', ['fd00::/8'], '2001:db8:1:2'],
    ['fd00::1', '::ffff:203.0.113.9', ['fd00::/8'], '203.0.113.9'],
  ])('%s, forwarded for %s, with proxies %j: %s', (socket, forwarded, trusted, expected) => {
    expect(from(socket, forwarded, trusted)).toBe(expected);
  });
});
