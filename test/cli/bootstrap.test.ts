// Runs commands through cli/bootstrap.mjs: exit codes come back, one Ctrl-C arrives once, and no process is left
// behind.
import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { bareProject } from './bare-project.ts';

/** Stands in for cli/main.ts: tells what it gets. */
const main = `
import { appendFileSync } from 'node:fs';
const [command, ...rest] = process.argv.slice(2);
if (command === 'pay') {
  console.log(JSON.stringify(rest));
  process.exit(7);
}
let signals = 0;
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    signals += 1;
    if (signals > 1) return;
    setTimeout(() => {
      if (rest[0] !== undefined) appendFileSync(rest[0], signal);
      console.log(\`stopped after \${signals} \${signal}\`);
      process.exit(0);
    }, 300);
  });
}
setInterval(() => undefined, 1_000);
console.log('up');
`;

describe('cli/bootstrap.mjs', () => {
  const { root, remove } = bareProject(main);
  afterAll(remove);

  it('passes arguments on and the exit code back', async () => {
    const run = start(root, 'pay', '--to', 'MY');
    expect(await run.ended).toBe(7);
    expect(run.output()).toBe('["--to","MY"]\n');
  });

  it('names the commands when it is given none of them', async () => {
    const run = start(root, 'fly');
    expect(await run.ended).toBe(2);
    expect(run.output()).toContain(
      'demo|start|pay|where|reset|migrate|retention|try:image|ops|admin|audit|size|bench|verify:chaos|drill|test|test:all|verify|verify:static|fuzz',
    );
  });

  it('lets the command end in order on Ctrl-C, which the terminal and npm both pass on', async () => {
    const run = start(root, 'demo');
    await run.says('up');
    run.child.kill('SIGINT');
    run.child.kill('SIGINT');
    expect(await run.ended).toBe(0);
    expect(run.output()).toContain('stopped after 1 SIGINT');
  });

  it('takes the command with it when it is killed without warning', async () => {
    const witness = join(root, 'witness');
    const run = start(root, 'demo', witness);
    await run.says('up');
    run.child.kill('SIGKILL');
    await run.says('stopped after 1 SIGTERM');
  });
});

function start(root: string, ...args: readonly string[]) {
  const child: ChildProcess = spawn(process.execPath, ['cli/bootstrap.mjs', ...args], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  const listeners = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      text += chunk.toString('utf8');
      for (const listener of listeners) listener();
    });
  }
  return {
    child,
    output: () => text,
    ended: new Promise<number | null>((done) => child.once('close', done)),
    says: (words: string) =>
      new Promise<void>((heard) => {
        const listen = () => {
          if (text.includes(words)) heard();
        };
        listeners.add(listen);
        listen();
      }),
  };
}
