// By TLS to Temporal and to Postgres, with real certificates and real servers behind a way that speaks nothing else.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import http2 from 'node:http2';
import net, { type AddressInfo, type Socket } from 'node:net';
import { join } from 'node:path';
import tls from 'node:tls';
import { NativeConnection } from '@temporalio/worker';
import { sql } from 'kysely';
import { afterAll, describe, expect, test } from 'vitest';
import { connectTemporal } from '../../api/temporal.ts';
import { temporalServer as serverOf } from '../../contract/server.ts';
import type { TemporalConfig } from '../../core/settings/config.ts';
import { connect } from '../../db/pool/connection.ts';
import { testDatabase } from '../harness/database.ts';
import { testTemporal } from '../harness/temporal.ts';

const folder = join(import.meta.dirname, 'certificates');
const pem = (name: string) => readFileSync(join(folder, `${name}.pem`), 'utf8');
const ours = { cert: pem('server'), key: pem('server-key') };
const client = { cert: pem('client'), key: pem('client-key') };
const temporal = await testTemporal();
const temporalServer = (config: TemporalConfig) => serverOf(config, (text) => Buffer.from(text));

const open: (net.Server | http2.Http2SecureServer)[] = [];
const sockets = new Set<Socket>();
afterAll(() => {
  for (const server of open) server.close();
  for (const socket of sockets) socket.destroy();
});

async function listening(server: net.Server | http2.Http2SecureServer): Promise<number> {
  open.push(server);
  server.on('connection', (socket: Socket) => sockets.add(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

function passTo(address: { host: string; port: number }, from: Socket | tls.TLSSocket): void {
  const to = net.connect(address);
  sockets.add(to);
  from.pipe(to).pipe(from);
  for (const one of [from, to]) {
    one.on('error', () => {
      from.destroy();
      to.destroy();
    });
  }
}

describe('Temporal', async () => {
  const [host = '', port = ''] = temporal.address.split(':');
  const way = tls.createServer(
    { ...ours, ca: pem('ca'), requestCert: true, rejectUnauthorized: true, ALPNProtocols: ['h2'] },
    (socket) => passTo({ host, port: Number(port) }, socket),
  );
  const address = `127.0.0.1:${await listening(way)}`;
  const config = (settings: Partial<TemporalConfig>): TemporalConfig => ({
    address,
    namespace: temporal.namespace,
    ...settings,
  });

  test('answers who checks its certificate and has one of its own', async () => {
    const server = config({ tls: { ca: pem('ca'), client } });
    const workflows = await connectTemporal(server);
    await workflows.check();
    await workflows.close();
    const connection = await NativeConnection.connect(temporalServer(server));
    expect((await connection.workflowService.getSystemInfo({})).capabilities).toBeDefined();
    await connection.close();
  });

  test('is checked by the name that is named', async () => {
    const named = (serverName: string) => config({ tls: { ca: pem('ca'), client, serverName } });
    await (await NativeConnection.connect(temporalServer(named('temporal.example')))).close();
    await expect(NativeConnection.connect(temporalServer(named('another.example')))).rejects.toThrow();
  });

  test.each([
    ['without TLS', {}],
    ['without a certificate of ours', { tls: { ca: pem('ca') } }],
    ['whose CA is not known', { tls: { client } }],
  ])('is not talked to %s', async (_, settings) => {
    await expect(NativeConnection.connect(temporalServer(config(settings)))).rejects.toThrow();
  });

  test('is shown the API key, by TLS', async () => {
    const shown: unknown[] = [];
    const cloud = http2.createSecureServer(ours);
    cloud.on('stream', (stream, headers) => {
      shown.push(headers['authorization']);
      stream.respond(
        { ':status': 200, 'content-type': 'application/grpc', 'grpc-status': '12' },
        { endStream: true },
      );
    });
    const key = {
      address: `127.0.0.1:${await listening(cloud)}`,
      tls: { ca: pem('ca') },
      apiKey: 'secret-key',
    };
    await connectTemporal(config(key)).catch(() => undefined); // it can nothing else
    expect(new Set(shown)).toEqual(new Set(['Bearer secret-key']));
    shown.splice(0);
    await NativeConnection.connect(temporalServer(config(key))).catch(() => undefined);
    expect(new Set(shown)).toEqual(new Set(['Bearer secret-key']));
  });
});

describe('Postgres', async () => {
  const { url } = await testDatabase();
  const at = new URL(url);
  const behind = { host: at.hostname, port: Number(at.port) };
  // TLS begins after a request for it in plain text, which is answered by one letter
  const way = net.createServer((socket) => {
    socket.once('data', () => {
      socket.write('S');
      const secure = new tls.TLSSocket(socket, { ...ours, isServer: true });
      passTo(behind, secure);
    });
    socket.on('error', () => socket.destroy());
  });
  const port = await listening(way);
  const reached = async (host: string, query: string) => {
    const through = new URL(url);
    through.hostname = host;
    through.port = String(port);
    through.search = query;
    const db = connect(through.href, { applicationName: 'isthmus-test', maxConnections: 1 });
    try {
      return (await sql<{ one: number }>`select 1 as one`.execute(db)).rows[0]?.one;
    } finally {
      await db.destroy();
    }
  };
  const ca = encodeURIComponent(join(folder, 'ca.pem'));

  test('is talked to by TLS, and its certificate is checked', async () => {
    expect(await reached('127.0.0.1', `sslmode=verify-full&sslrootcert=${ca}`)).toBe(1);
    expect(await reached('localhost', `sslmode=verify-full&sslrootcert=${ca}`)).toBe(1);
  });

  test('is not talked to whose CA is not known', async () => {
    await expect(reached('127.0.0.1', 'sslmode=verify-full')).rejects.toThrow();
  });
});
