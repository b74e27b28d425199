// Which connection gives way to a new one: nobody is refused while another holds places that it does not use, however many hold
// them, and whatever the others of theirs do (SEC-7).
import type { Socket } from 'node:net';
import { connect } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createCrowds, type Way } from '../../../api/http/crowds.ts';
import { startServer, type RunningServer, type ServerOptions } from '../../../api/http/server.ts';
import { authority } from '../../harness/certificates.ts';
import { quietPort } from '../../harness/quiet-port.ts';
import { answersOn, open } from './raw-http.ts';

const ours = await authority('ours');
const tls = await ours.issue('127.0.0.1', 'server');
describe('who gives way', () => {
  /** Each of an address; what it does, it may be told to change. */
  function crowdsOf(...all: readonly (readonly [address: string, doing: Way | 'awaited'])[]) {
    const doing = new Map(all.map(([, does], at) => [at, does]));
    let asked = 0;
    const crowds = createCrowds<number>((one, way) => {
      asked += 1;
      return doing.get(one) === way;
    });
    all.forEach(([address], at) => crowds.join(address, at));
    const lose = (address?: string) => {
      const one = crowds.toGive(address);
      if (one !== undefined) crowds.leave(all[one]?.[0] ?? '', one);
      return one;
    };
    return { ...crowds, doing, lose, asked: () => asked };
  }

  it('is of the largest crowd in which one does, and the oldest of it', () => {
    const { lose } = crowdsOf(
      ['small', 'idle'],
      ['most', 'awaited'],
      ['most', 'awaited'],
      ['most', 'awaited'],
      ['more', 'awaited'],
      ['more', 'idle'],
    );
    expect([lose(), lose(), lose()]).toEqual([5, 0, undefined]);
  });

  it('of one crowd is idle, else sending, else not reading; never who waits for us', () => {
    const { lose } = crowdsOf(
      ['a', 'awaited'],
      ['a', 'unread'],
      ['a', 'arriving'],
      ['a', 'idle'],
      ['b', 'idle'],
    );
    expect([lose('a'), lose('a'), lose('a'), lose('a'), lose('a')]).toEqual([3, 2, 1, undefined, undefined]);
    expect(lose('nobody')).toBeUndefined();
  });

  it('of crowds of one size is an idle one of anybody before a sending one of anybody', () => {
    const { lose } = crowdsOf(['a', 'unread'], ['b', 'arriving'], ['c', 'idle'], ['d', 'awaited']);
    expect([lose(), lose(), lose(), lose()]).toEqual([2, 1, 0, undefined]);
  });

  it('is asked again once it may, and not with every connection that is refused', () => {
    const many = Array.from({ length: 1_000 }, (_, n) => [`address ${n}`, 'awaited'] as const);
    const crowds = crowdsOf(...many);
    const { doing, lose, asked } = crowds;
    expect(lose()).toBeUndefined();
    const before = asked();
    for (let nth = 0; nth < 1_000; nth += 1) expect(lose()).toBeUndefined();
    expect(asked()).toBe(before);
    doing.set(500, 'unread');
    crowds.mayGive('address 500', 'unread');
    doing.set(700, 'idle');
    crowds.mayGive('address 700', 'idle');
    expect([lose(), lose(), lose()]).toEqual([700, 500, undefined]);
  });
});

const onLinux = describe.skipIf(process.platform !== 'linux'); // which has all of 127.0.0.0/8
const sockets: Socket[] = [];
afterEach(() => sockets.splice(0).forEach((socket) => socket.destroy()));
const kept = <One extends Socket>(socket: One): One => {
  sockets.push(socket);
  return socket;
};

const held: (() => void)[] = [];
let downloads = 0;
const large = 'x'.repeat(8_000_000); // more than any buffer on the way takes
const app = {
  async fetch({ url }: Request) {
    if (url.endsWith('/large')) {
      downloads += 1;
      return new Response(large);
    }
    if (url.endsWith('/held')) await new Promise<void>((resolve) => held.push(resolve));
    return new Response('done');
  },
};
const start = (options: Partial<ServerOptions>) =>
  startServer(app as never, { host: '127.0.0.1', port: 0, logger: pino({ level: 'silent' }), ...options });

const ask = (path: string, ...headers: string[]) =>
  [`GET ${path} HTTP/1.1`, 'Host: isthmus.test', ...headers, '', ''].join('\r\n');
const asksOnce = ask('/', 'Connection: close');

onLinux.each([
  ['http', {}],
  ['https', { tls }],
])('with as many connections as are allowed, by %s', (protocol, secured) => {
  const each = 4;
  let server: RunningServer;
  beforeAll(async () => {
    const limits = { maxConnections: 2 * each, maxConnectionsPerAddress: each };
    server = await start({ ...secured, limits });
  });
  afterAll(() => server.close());
  afterEach(() => held.splice(0));
  const openFrom = async (address: string) =>
    kept(await open(`${protocol}://127.0.0.1:${server.port}`, address));

  /** Reads nothing of it. */
  async function downloadFrom(address: string, ...more: string[]): Promise<Socket> {
    const socket = (await openFrom(address)).pause();
    const before = downloads;
    socket.write([ask('/large'), ...more].join(''));
    await expect.poll(() => downloads).toBe(before + 1);
    return socket;
  }

  /** Undefined where it was refused, which nobody can be told before TLS is agreed. */
  async function statusFrom(address: string): Promise<number | undefined> {
    try {
      const socket = await openFrom(address);
      const answers = answersOn(socket);
      socket.write(asksOnce);
      const [answer] = await answers;
      return answer?.status === 503 ? undefined : answer?.status;
    } catch {
      return undefined;
    }
  }

  it('whoever is idle gives way, though another who has as many reads none of its answers', async () => {
    for (let n = 0; n < each; n += 1) await downloadFrom('127.0.0.2');
    for (let n = 0; n < each; n += 1) (await openFrom('127.0.0.3')).resume();
    for (let n = 0; n < 2 * each; n += 1) expect(await statusFrom('127.0.0.9')).toBe(200);
  });

  it('an idle one gives way, though an older one of another address reads nothing', async () => {
    await downloadFrom('127.0.1.1');
    for (let n = 2; n <= 2 * each; n += 1) (await openFrom(`127.0.1.${n}`)).resume();
    for (let n = 0; n < each; n += 1) expect(await statusFrom('127.0.0.9')).toBe(200);
  });

  it('whoever has not read for a second gives way, and nobody who waits for our work', async () => {
    const awaited = ask('/held', 'Connection: close');
    const waiting: Socket[] = [];
    for (let n = 1; n < 2 * each; n += 1)
      waiting.push(await downloadFrom(n <= each ? '127.0.0.2' : '127.0.0.3', awaited));
    await downloadFrom('127.0.0.3');
    await expect.poll(() => statusFrom('127.0.0.9'), { timeout: 10_000 }).toBe(200);
    const last = await downloadFrom('127.0.0.9', awaited); // in the place that was free again
    expect(await statusFrom('127.0.0.10')).toBeUndefined();
    await expect.poll(() => held.length).toBe(2 * each);
    for (const release of held.splice(0)) release();
    for (const socket of [...waiting, last]) {
      expect((await answersOn(socket.resume())).map(({ status }) => status)).toEqual([200, 200]);
    }
  });
});

onLinux('connections of one address and port to several addresses of ours, by TLS', () => {
  let server: RunningServer;
  beforeAll(async () => {
    server = await start({ host: '0.0.0.0', tls });
  });
  afterAll(() => server.close());

  const connectFrom = (localPort: number, to: string) =>
    new Promise<Socket>((resolve, reject) => {
      const socket = kept(connect({ host: to, port: server.port, localAddress: '127.0.0.5', localPort }));
      socket.once('connect', () => resolve(socket)).once('error', reject);
      socket.on('error', () => undefined);
    });
  const secure = (socket: Socket): TLSSocket =>
    kept(connectTls({ socket, rejectUnauthorized: false }).on('error', () => undefined));

  it('are one each: all are answered', async () => {
    const localPort = await quietPort();
    const opened: Socket[] = [];
    for (const to of ['127.0.0.1', '127.0.0.2', '127.0.0.3']) opened.push(await connectFrom(localPort, to));
    for (const socket of opened.map(secure)) {
      socket.write(asksOnce);
      expect((await answersOn(socket)).map(({ status }) => status)).toEqual([200]);
    }
  });

  it('a later one from the same port is not taken for the one that was cut before', async () => {
    const localPort = await quietPort();
    for (let nth = 0; nth < 5; nth += 1) {
      const cut = await connectFrom(localPort, '127.0.0.1');
      await new Promise((resolve) => cut.once('close', resolve).resetAndDestroy());
      const raw = await connectFrom(localPort, '127.0.0.1');
      const socket = secure(raw);
      const answer = new Promise<Buffer>((resolve) => socket.once('data', resolve));
      socket.write(ask('/'));
      expect((await answer).toString()).toMatch(/^HTTP\/1\.1 200 /);
      await new Promise((resolve) => raw.once('close', resolve).resetAndDestroy());
    }
  });
});
