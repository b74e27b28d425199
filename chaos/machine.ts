// Measures the machine while a run goes on, and says how much load it carries.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { MachineBeat } from './oracle/evidence.ts';
import { averageLateMs, tooLateMs } from './oracle/machine.ts';

export interface MachineProbe {
  /** How late a beat was on average, over the last ten seconds, in milliseconds. */
  lateMs(): number;
  isTooSlow(): boolean;
  /** May be called twice. */
  stop(): Promise<void>;
}

const kept = 20; // beats of half a second
const workMs = 20; // of a beat: CPU time, as long as a few messages take, so that the scheduler does not favour it as idle
const leastShare = 0.1;

/** @param file on the disk of the databases; the probe writes to it */
export async function openMachineProbe(
  file: string,
  record: (beat: MachineBeat) => void,
): Promise<MachineProbe> {
  const probe = fork(join(import.meta.dirname, 'system', 'machine-probe.mjs'), [file, String(workMs)], {
    execArgv: [],
    detached: true, // Linux shares processors out by session, and the gateway's processes have sessions of their own
  });
  const ended = once(probe, 'exit');
  const last: MachineBeat[] = [];
  probe.on('message', (beat: MachineBeat) => {
    record(beat);
    last.push(beat);
    if (last.length > kept) last.shift();
  });
  await Promise.race([
    once(probe, 'message'),
    ended.then(() =>
      Promise.reject(new Error('chaos/system/machine-probe.mjs ended before it measured anything')),
    ),
  ]);
  return {
    lateMs: () => Math.round(averageLateMs(last)),
    isTooSlow: () => averageLateMs(last) > tooLateMs,
    stop: async () => {
      if (probe.connected) probe.disconnect();
      await ended;
    },
  };
}

/**
 * Share of the wanted load that the machine carries: all of it while a process gets half of a processor, less in
 * proportion, and never less than a tenth.
 */
export function carriedShare(lateMs: number): number {
  return Math.max(leastShare, Math.min(1, (2 * workMs) / (workMs + lateMs)));
}
