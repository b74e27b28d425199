// A secret that is set wrongly stops the start, and does not appear in the logged error.
import http2 from 'node:http2';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { NativeConnection } from '@temporalio/worker';
import { connectTemporal } from '../../api/temporal.ts';
import { temporalServer } from '../../contract/server.ts';
import { parseWorkerConfig } from '../../core/settings/config.ts';
import { withFiles } from '../../core/settings/settings.ts';

const folder = join(import.meta.dirname, 'certificates');
const pem = (name: string) => readFileSync(join(folder, `${name}.pem`), 'utf8');
const server = http2.createSecureServer({ cert: pem('server'), key: pem('server-key') });
server.on('stream', (stream) => {
  stream.respond(
    { ':status': 200, 'content-type': 'application/grpc', 'grpc-status': '12' },
    { endStream: true },
  );
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
afterAll(() => void server.close());

const env = {
  DATABASE_URL: 'postgres://isthmus@127.0.0.1/isthmus',
  TEMPORAL_ADDRESS: `127.0.0.1:${(server.address() as AddressInfo).port}`,
  TEMPORAL_TLS: '1',
  TEMPORAL_TLS_CA: pem('ca'),
};
const messageOf = (error: unknown): string =>
  error instanceof Error
    ? `${error.name} ${error.message} ${error.stack ?? ''} ${messageOf(error.cause)}`
    : String(error);
const said = async (act: () => unknown) => {
  try {
    await act();
    return '';
  } catch (error) {
    return messageOf(error);
  }
};

test.each(['geheim-schlüssel', '“secret-key”', 'secret…'])(
  'an API key that no header can carry (%s) is in no message of the api (SEC-3)',
  async (key) => {
    const message = await said(() =>
      connectTemporal(parseWorkerConfig({ ...env, TEMPORAL_API_KEY: key }).temporal),
    );
    expect(message).not.toBe('');
    expect(message).not.toContain(key);
  },
);

test.each(['geheim-schlüssel', '“secret-key”'])(
  'an API key that no header can carry (%s) is in no message of the worker (SEC-3)',
  async (key) => {
    const message = await said(() =>
      NativeConnection.connect(
        temporalServer(parseWorkerConfig({ ...env, TEMPORAL_API_KEY: key }).temporal, (pem) =>
          Buffer.from(pem),
        ),
      ),
    );
    expect(message).not.toBe('');
    expect(message).not.toContain(key);
  },
);

test.each([
  ['DATABASE_URL', 'postgres://isthmus:pass-word@127.0.0.1/isthmus'],
  ['TEMPORAL_API_KEY', 'pass-word'],
])(
  'a secret that is given as %s_FILE itself is not in the message that refuses it (SEC-3)',
  async (name, value) => {
    const message = await said(() =>
      withFiles({ [`${name}_FILE`]: value }, (path) => readFileSync(path, 'utf8')),
    );
    expect(message).toContain(`${name}_FILE`);
    expect(message).not.toContain('pass-word');
  },
);
