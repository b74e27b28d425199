// Interrupts commands while they start. Every process that was started ends, and the folder is free again.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { claimFolder } from '../../cli/parts/claim.ts';
import { postgresFolders } from '../../cli/parts/postgres-home.ts';
import { bareProject, canSeeProcesses, leftAfter, processesWith } from './bare-project.ts';
import { commandFolder } from './command.ts';

/** Stands in for cli/main.ts: runs until it is told to stop. */
const main = `
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => process.exit(0));
setInterval(() => undefined, 1_000);
console.log('up');
`;

/** Most take milliseconds; a busy machine may need longer. */
const patienceMs = 10_000;

describe.skipIf(!canSeeProcesses)('a command that is interrupted', () => {
  const { root, remove } = bareProject(main);
  let starts = 0;
  afterAll(() => {
    for (const one of processesWith(`HOME_OF_TEST=${root}`))
      process.kill(Number.parseInt(one, 10), 'SIGKILL');
    remove();
  });

  function start(command: string, args: readonly string[]) {
    starts += 1;
    const mark = `${root}/${starts}.`;
    const child = spawn(command, args, {
      cwd: root,
      env: { ...process.env, HOME_OF_TEST: mark, npm_config_loglevel: 'silent' },
      stdio: 'ignore',
      detached: true, // a foreground group of its own, as a terminal makes it
    });
    const { pid = 0 } = child;
    return { pid, left: () => leftAfter(patienceMs, `HOME_OF_TEST=${mark}`) };
  }

  it('leaves nothing when the signal comes while the command is being started', async () => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGKILL'] as const) {
      const { pid, left } = start(process.execPath, ['cli/bootstrap.mjs', 'start']);
      while (!childrenOf(pid).some(hasLeftGroup)); // no pause: what follows lasts milliseconds
      process.kill(-pid, signal);
      expect({ signal, left: await left() }).toEqual({ signal, left: [] });
    }
  });
});

/** Lines of output at which the start is interrupted. */
const stages = ['Starting Isthmus', 'Database:'];

describe.skipIf(!canSeeProcesses)('npm start that is interrupted', () => {
  it('stops what had been started before it ends, and frees the folder', async () => {
    const place = await commandFolder({ hasStarted: true });
    for (const stage of stages) {
      const start = place.run('start');
      await start.says(stage);
      start.child.kill('SIGINT');
      expect(await start.ended, start.output()).toBeOneOf([0, 130]);
      const marks = [place.folder, ...postgresFolders(join(place.folder, 'postgres'))];
      expect({ stage, left: await leftAfter(patienceMs, ...marks) }).toEqual({ stage, left: [] });
      expect(start.output()).not.toMatch(/^\s+at /m);
      expect(start.output()).toContain('✓ Stopped');
      const claim = claimFolder(place.folder);
      claim.release();
    }
    place.remove();
  });
});

/** Process numbers of the children, as the kernel tells them. */
function childrenOf(pid: number): readonly number[] {
  return tryRead(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean).map(Number);
}

/** Whether a signal to its parent's group no longer reaches it. */
function hasLeftGroup(pid: number): boolean {
  const [, group] = /\) \S \d+ (\d+)/.exec(tryRead(`/proc/${pid}/stat`)) ?? [];
  return group === String(pid);
}

function tryRead(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return ''; // it has ended
  }
}
