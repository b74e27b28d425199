// `npm run try:image` around a stand-in for the container engine, which notes each call: what it starts, it removes.
// The command itself, with a real engine, is the test of the image and of docker-compose.yml.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { trialSettings } from '../../cli/try-image.ts';

const root = resolve(import.meta.dirname, '..', '..');
let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'isthmus-engine-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** One service, `api`, whose health check passes once the engine has run it; `up` waits for that and then fails. */
const engine = () => `#!/bin/sh
cd '${folder}'
echo "$*" >> calls
health=starting
[ -e checked ] && health=healthy
case "$*" in
  compose*\\ up\\ *) : > started; until [ -e checked ]; do sleep 0.05; done; echo 'no such network' >&2; exit 1 ;;
  compose*\\ down\\ *) rm -f started ;;
  'healthcheck run c1') : > checked ;;
  ps*) [ -e started ] && echo c1; exit 0 ;;
  inspect*) echo '[{ "Id": "c1", "State": { "Status": "running", "ExitCode": 0, "Health": { "Status": "'$health'" } },
    "Config": { "Image": "isthmus:1.0.0", "Labels": { "com.docker.compose.service": "api" } } }]' ;;
esac
`;

/** Starts the command with the stand-in under this name. */
function tryImage(name: string) {
  const path = join(folder, name);
  writeFileSync(path, engine(), { mode: 0o755 });
  const child = spawn(process.execPath, ['cli/main.ts', 'try:image'], {
    cwd: root,
    env: { ...process.env, CONTAINER_ENGINE: path, IMAGE_BUILD_OPTIONS: '--build-arg NODE_IMAGE=mine' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
  const ended = new Promise<number | null>((done) => child.once('close', done));
  return { child, ended, output: () => output };
}

/** The calls, without questions about the state and without the options of Compose. */
const calls = () =>
  readFileSync(join(folder, 'calls'), 'utf8')
    .trim()
    .split('\n')
    .filter((line) => !/^(ps|inspect) |version$/.test(line))
    .map((line) => line.replace(/ --file docker-compose\.yml .* --profile sandbox/, ''));

const build = 'build --tag isthmus:1.0.0 --build-arg NODE_IMAGE=mine .';
const [up, down] = ['compose up --detach --no-build', 'compose down --volumes --remove-orphans'];

it('removes everything after a failure, and says what failed', async () => {
  const command = tryImage('podman');
  expect(await command.ended, command.output()).toBe(1);
  expect(calls()).toEqual([build, down, up, 'healthcheck run c1', down]);
  expect(command.output()).toMatch(
    /api +running \(starting\)\n.*failed with exit code 1\.\nno such network/s,
  );
});

it('removes everything after Ctrl-C, and leaves a deployment on the same machine alone', async () => {
  const command = tryImage('docker');
  await expect.poll(() => existsSync(join(folder, 'started'))).toBe(true);
  command.child.kill('SIGINT');
  expect(await command.ended, command.output()).toBe(130);
  expect(calls()).toEqual([build, down, up, down]);
  const composed = readFileSync(join(folder, 'calls'), 'utf8').match(/^compose --file.*$/gm) ?? [];
  for (const line of composed) expect(line).toMatch(/ --env-file \S+empty\.env --project-name isthmus-try /);
});

it('sets everything that docker-compose.yml demands', () => {
  const demanded = readFileSync(join(root, 'docker-compose.yml'), 'utf8').matchAll(/\$\{([A-Z_]+):\?/g);
  for (const [, name = ''] of demanded) expect(trialSettings()).toHaveProperty(name);
});
