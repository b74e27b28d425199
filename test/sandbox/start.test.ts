// Starting the sandbox: its settings, its tokens, and as a process of its own.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parseSandboxEnvironment } from '../../sandbox/environment.ts';
import { readJournal } from '../../sandbox/journal-file.ts';
import { clientCredentials } from '../../sandbox/tokens.ts';
import { endingIn } from '../../fixtures/endings.ts';
import {
  forwardedPacs008,
  post,
  startGatewayStub,
  startTestSandbox,
  statementOf,
  type GatewayStub,
} from './fixture.ts';

let gateway: GatewayStub;
beforeEach(async () => {
  gateway = await startGatewayStub();
});
afterEach(() => gateway.close());

describe('settings', () => {
  test('an empty environment gives the documented defaults', () => {
    expect(parseSandboxEnvironment({})).toEqual({
      host: '127.0.0.1',
      ports: { source: 9101, destination: 9102, fxProvider: 9103 },
      validate: true,
      tokenUrl: 'http://127.0.0.1:8080/oauth/token',
      gatewayKeysUrl: 'http://127.0.0.1:8080/.well-known/webhooks/jwks.json',
      usageGuideline: undefined,
    });
  });

  test.each([
    ['SOURCE_PORT', '65536'],
    ['TOKEN_URL', 'nowhere'],
  ])('%s=%s stops the start and is named', (name, value) => {
    expect(() => parseSandboxEnvironment({ [name]: value })).toThrow(name);
  });
});

describe('tokens', () => {
  test('one grant serves many, and many at once; forgetting one asks for a new one', async () => {
    const tokens = clientCredentials({ tokenUrl: () => gateway.tokenUrl });
    const asked = await Promise.all(Array.from({ length: 10 }, () => tokens.tokenFor('THBPPAY')));
    expect(new Set(asked)).toEqual(new Set(['token-THBPPAY-1']));
    expect(await tokens.tokenFor('SGDFAST')).toBe('token-SGDFAST-2');
    tokens.forget('THBPPAY');
    expect(await tokens.tokenFor('THBPPAY')).toBe('token-THBPPAY-3');
    expect(gateway.grants).toEqual(['THBPPAY', 'SGDFAST', 'THBPPAY']);
  });

  test('a refusal is told, and asked again the next time', async () => {
    let clientSecret = 'wrong';
    const tokens = clientCredentials({
      tokenUrl: gateway.tokenUrl,
      credentials: (clientId) => ({ clientId, clientSecret }),
    });
    await expect(tokens.tokenFor('THBPPAY')).rejects.toThrow('HTTP 401');
    clientSecret = 'demo-THBPPAY';
    expect(await tokens.tokenFor('THBPPAY')).toBe('token-THBPPAY-1');
  });
});

test('a port that is taken stops the start and leaves nothing open', async () => {
  const first = await startTestSandbox(gateway);
  const taken = Number(new URL(first.fxProvider.url).port);
  await expect(startTestSandbox(gateway, { ports: { fxProvider: taken } })).rejects.toMatchObject({
    code: 'EADDRINUSE',
  });
  await first.close();
});

test('without validation a message of the right form is taken, one without its ids is not', async () => {
  const sandbox = await startTestSandbox(gateway, { validate: false });
  const query = new URLSearchParams({ pacs002Endpoint: gateway.pacs002Endpoint });
  const url = `${sandbox.destinationUrl('IPSO-TH')}/iso20022/pacs008?${query.toString()}`;
  const { text: instruction } = forwardedPacs008({ ending: endingIn.creditedAtOnce });
  const unusual = instruction.replace('<ChrgBr>SHAR</ChrgBr>', '<ChrgBr>DEBT</ChrgBr>');
  expect((await post(url, unusual)).status).toBe(200);
  expect((await post(url, instruction.replace(/<CdtrAcct>.*<\/CdtrAcct>/, ''))).status).toBe(422);
  await sandbox.close();
});

function sandboxProcess(settings: Record<string, string>) {
  return spawn(process.execPath, ['sandbox/main.ts'], {
    cwd: resolve(import.meta.dirname, '..', '..'),
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env['PATH'],
      SOURCE_PORT: '0',
      DESTINATION_PORT: '0',
      FXP_PORT: '0',
      TOKEN_URL: gateway.tokenUrl,
      GATEWAY_KEYS_URL: 'none',
      ...settings,
    },
  });
}

test('as a process it says in a sentence why it did not start, and ends', async () => {
  const first = await startTestSandbox(gateway);
  const taken = new URL(first.source.url).port;
  for (const [settings, named] of [
    [{ FXP_PORT: taken }, taken],
    [{ VALIDATE: 'no' }, 'VALIDATE'],
  ] as const) {
    const child = sandboxProcess(settings);
    const exit = new Promise<number | null>((done) => child.once('exit', done));
    const said = await text(child.stderr);
    expect(said).toMatch(/^isthmus sandbox did not start: .*\n$/);
    expect(said).toContain(named);
    expect(await exit).toBe(1);
  }
  await first.close();
});

test('as a process it says where it listens, takes messages, journals them, and ends cleanly on SIGTERM', async () => {
  const journalDirectory = mkdtempSync(join(tmpdir(), 'isthmus-sandbox-'));
  const child = sandboxProcess({ JOURNAL_DIR: journalDirectory });
  const ended = new Promise<number | null>((done) => child.once('exit', done));
  const line = await new Promise<string>((heard) =>
    createInterface({ input: child.stdout }).once('line', heard),
  );
  const { event, source } = JSON.parse(line) as { event: string; source: string };
  expect(event).toBe('listening');
  const statement = statementOf(forwardedPacs008({ ending: endingIn.creditedAtOnce }), 'ACCC');
  expect((await post(`${source}/callbacks/JPYZGIN/pacs002`, statement)).status).toBe(200); // a system of the seed data
  child.kill('SIGTERM');
  expect(await ended).toBe(0);
  expect(readJournal(journalDirectory)).toMatchObject([{ party: 'source/JPYZGIN', status: 'ACCC' }]);
  rmSync(journalDirectory, { recursive: true });
});
