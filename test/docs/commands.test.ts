// Every command in the documents is run as it is written, against one demo, and prints what the document shows. The few
// that are not run say so, with the reason, where they stand. Somebody else holds the usual ports, and hears nothing of
// it.
import { spawn, type ChildProcess } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../cli/parts/ports.ts';
import { readJournal } from '../../sandbox/journal-file.ts';
import { commandFolder, type RunningCommand } from '../cli/command.ts';
import { blocksOf, documents, readDocument, root, type Block } from './documents.ts';

const place = await commandFolder({ hasStarted: true });
const scratch = mkdtempSync(join(tmpdir(), 'isthmus-documents-'));
const destinationPort = await freePort();
let started: RunningCommand;

/** What another Isthmus would hold. */
const usualPorts = [8080, 9101, 9102, 9103];
const others: Server[] = [];
const heard: string[] = [];

beforeAll(async () => {
  for (const port of usualPorts) {
    const other = createServer((request, response) => {
      heard.push(`${request.method ?? ''} ${request.url ?? ''} on ${port}`);
      response.end('{}');
    });
    await new Promise<void>((settled) => {
      other.once('error', () => settled()); // taken by somebody else indeed
      other.listen(port, '127.0.0.1', settled);
    });
    others.push(other);
  }
  started = place.run('start', '--destination', `PH=http://127.0.0.1:${destinationPort}`);
  await started.says('Isthmus runs until Ctrl-C.');
  heard.length = 0; // of another test's system, which had chosen a port just before it was taken here
});
afterAll(async () => {
  started.child.kill('SIGTERM');
  await started.ended;
  for (const other of others) other.close();
  place.remove();
  rmSync(scratch, { recursive: true });
});

/** The same commands with their files in the folder of this test. */
function here(text: string): string {
  return text.replaceAll('/tmp/isthmus-', `${scratch}/`);
}

const shells: ChildProcess[] = [];
afterAll(() => {
  for (const { pid } of shells) {
    try {
      if (pid !== undefined) process.kill(-pid, 'SIGKILL');
    } catch {
      // nothing of it is left, as it should be
    }
  }
});

/** Commands of other documents that come first, in the same shell: `<!-- after: docs/how-to/call-the-api.md -->`. */
function blocksBefore(path: string): readonly Block[] {
  const [, other] = /^<!-- after: (\S+) -->$/m.exec(readDocument(path)) ?? [];
  return other === undefined ? [] : [...blocksBefore(other), ...blocksOf(readDocument(other)).filter(isRun)];
}

const isRun = ({ language, note }: Block) => language === 'sh' && note === undefined;

const marker = '@@ next block';

/** Runs blocks in one shell, which ends at the first command that fails, and gives the output of each. */
async function runInShell(blocks: readonly string[]): Promise<readonly string[]> {
  const script = ['set -eu', ...blocks.map((block) => `echo '${marker}'\n${here(block)}`)].join('\n');
  const shell = spawn('bash', ['-c', `exec 2>&1\n${script}`], {
    cwd: root,
    env: { ...process.env, ...place.env, npm_config_loglevel: 'error' },
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true, // a group of its own, with all that it starts
  });
  shells.push(shell);
  let output = '';
  shell.stdout.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
  const code = await new Promise<number | null>((ended) => shell.once('close', ended));
  expect(code, output).toBe(0);
  return output.split(`${marker}\n`).slice(1);
}

/** Lines without what differs from run to run. */
function comparable(text: string): readonly string[] {
  return text
    .split('\n')
    .map((line) =>
      line
        .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<uuid>')
        .replace(/^ *\+\d+ ms/, '')
        .replaceAll(/ +/g, ' ')
        .trim(),
    )
    .filter((line) => line !== '');
}

describe('every command in a document', () => {
  it.each(documents)('%s: is run, or says why not', (path) => {
    const shell = blocksOf(readDocument(path)).filter(({ language }) => language === 'sh');
    expect(shell.length).toBe((readDocument(path).match(/^```sh$/gm) ?? []).length);
    for (const { text, note } of shell) {
      if (note !== undefined) expect({ text, key: note.key }).toEqual({ text, key: 'not run' });
    }
    for (const [, script = ''] of readDocument(path).matchAll(/npm (?:run )?([a-z:]+)/g)) {
      if (script === 'packages' || script === 'start' || script === 'run' || script === 'ci') continue;
      expect(packageScripts).toContain(script);
    }
  });

  it('docs/how-to/receive-and-answer.md: its program says that its port is taken', async () => {
    const [program] = blocksOf(readDocument('docs/how-to/receive-and-answer.md')).filter(
      ({ note }) => note?.key === 'file',
    );
    const file = join(scratch, 'taken.mjs');
    writeFileSync(file, program?.text ?? '');
    const child = spawn(process.execPath, [file, new URL(place.runFile().apiUrl).port]);
    let said = '';
    child.stderr.on('data', (some: Buffer) => (said += some.toString()));
    expect(await new Promise((ended) => child.once('close', ended))).toBe(1);
    expect(said).toMatch(/^Port \d+ is taken: give another one\n$/);
  });

  it('docs/how-to/receive-and-answer.md: its program goes on when Isthmus is away while it reports', async () => {
    const [program] = blocksOf(readDocument('docs/how-to/receive-and-answer.md')).filter(
      ({ note }) => note?.key === 'file',
    );
    const file = join(scratch, 'alone.mjs');
    writeFileSync(file, program?.text ?? '');
    const port = await freePort();
    const child = spawn(process.execPath, [file, String(port)]);
    let said = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (some: Buffer) => (said += some.toString()));
    }
    const hears = (words: string) => expect.poll(() => said).toContain(words);
    const nobody = encodeURIComponent(`http://127.0.0.1:${await freePort()}/iso20022/pacs002`);
    const instruct = async () => {
      const address = `http://127.0.0.1:${port}/iso20022/pacs008?pacs002Endpoint=${nobody}`;
      return (await fetch(address, { method: 'POST', body: '<Document/>' })).status;
    };
    try {
      await hears('Taking instructions');
      expect(await instruct()).toBe(202);
      await hears('ECONNREFUSED');
      expect(await instruct()).toBe(202);
    } finally {
      child.kill();
    }
  });

  const withCommands = documents.filter((path) => blocksOf(readDocument(path)).some(isRun));

  it.each(withCommands)('%s: does what it shows', async (path) => {
    const blocks = blocksOf(readDocument(path));
    const helpers = blocks
      .filter(({ note }) => note?.key === 'file')
      .map(({ text, note }) => {
        const file = here(note?.value ?? '');
        writeFileSync(file, text);
        return spawn(process.execPath, [file, String(destinationPort)]);
      });
    const before = blocksBefore(path);
    const indexes = [...blocks.entries()].flatMap(([index, block]) => (isRun(block) ? [index] : []));
    const all = await runInShell([...before, ...blocks.filter(isRun)].map(({ text }) => text));
    const outputs = all.slice(before.length);
    for (const helper of helpers) helper.kill();
    expect(outputs).toHaveLength(indexes.length);
    for (const [position, index] of indexes.entries()) {
      const shown = blocks[index + 1];
      if (shown?.language !== 'text') continue;
      const said = comparable(outputs[position] ?? '');
      for (const line of comparable(shown.text)) expect(said).toContain(line);
    }
    if (path === 'docs/how-to/call-the-api.md') expectCurlWalkThrough(outputs.slice(-3));
    if (path === 'docs/how-to/quotes-and-consent.md') expectExpiry(outputs);
    if (path === 'docs/how-to/answers-and-retries.md') expectEnquiry(outputs);
    if (path === 'docs/tutorial.md') expectKilledInTheMiddle(outputs.at(-1) ?? '');
    expect(heard).toEqual([]);
  });
});

/**
 * The dry run finds nothing; answer and callback are the same final status in the same bytes (PAY-1), which is on
 * record.
 */
function expectCurlWalkThrough([dryRun = '', submission = '', record = '']: readonly string[]): void {
  expect(JSON.parse(dryRun)).toMatchObject({ valid: true, violations: [] });
  const reports = submission.match(/<Document[^]*?<\/Document>/g) ?? [];
  expect(reports, submission).toHaveLength(2);
  expect(reports[0]).toContain('<TxSts>ACCC</TxSts>');
  expect(reports[1]).toBe(reports[0]);
  expect(JSON.parse(record)).toMatchObject({ status: 'ACCC' });
}

/** The quotes say until when they are valid. */
function expectExpiry([expiry = '']: readonly string[]): void {
  expect(Date.parse(/^isthmus-quotes-expire: (\S+)/im.exec(expiry)?.[1] ?? '')).toBeGreaterThan(Date.now());
}

/** The same bytes again get the same final status, in the answer and at the callback. */
function expectEnquiry([, enquiry = '']: readonly string[]): void {
  const reports = enquiry.match(/<Document[^]*?<\/Document>/g) ?? [];
  expect(reports, enquiry).toHaveLength(2);
  expect(reports[0]).toContain('<TxSts>ACCC</TxSts>');
  expect(reports[1]).toBe(reports[0]);
}

/** The worker was killed after the interim status and before the credit; what came of it the document shows. */
function expectKilledInTheMiddle(output: string): void {
  const uetr = /UETR ([0-9a-f-]{36})/.exec(output)?.[1] ?? '';
  const { journalDirectory } = place.runFile();
  const entries = readJournal(journalDirectory, 'destination/IPSO-TH').filter((one) => one.uetr === uetr);
  const timeOf = (status: string) => Date.parse(entries.find((one) => one.status === status)?.at ?? '');
  const restartedAt = statSync(join(place.folder, 'run.json')).mtimeMs; // written when it is started again
  expect(restartedAt, output).toBeGreaterThan(timeOf('ACWP'));
  expect(restartedAt, output).toBeLessThan(timeOf('moved'));
  expect(started.output()).toMatch(/! worker \(process \d+\) has ended: .*SIGKILL/);
}

const packageScripts = Object.keys(
  (JSON.parse(readDocument('package.json')) as { scripts: Record<string, string> }).scripts,
);
