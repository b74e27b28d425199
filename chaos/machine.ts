// Measures the speed of the machine during a run, and computes how much load the machine can carry.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { MachineBeat } from './oracle/evidence.ts';
import { averageLateMs, tooLateMs } from './oracle/machine.ts';

export interface MachineProbe {
  /** Average delay of the measurements in the last ten seconds, in milliseconds. */
  lateMs(): number;
  isTooSlow(): boolean;
  /** Ends the probe. A second call has no effect. */
  stop(): Promise<void>;
}

const kept = 20; // measurements, two per second
// CPU time of one measurement, in milliseconds: as much as a few messages need. With less work, the scheduler
// would favour the probe as an idle process.
const workMs = 20;
const leastShare = 0.1;

/** @param file a file on the disk of the databases, to which the probe writes */
export async function openMachineProbe(
  file: string,
  record: (beat: MachineBeat) => void,
): Promise<MachineProbe> {
  const probe = fork(join(import.meta.dirname, 'system', 'machine-probe.mjs'), [file, String(workMs)], {
    execArgv: [],
    detached: true, // Linux shares processors by session, and the gateway's processes have separate sessions too
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
 * Returns the share of the wanted load that the machine can carry. The share is 1 while a process gets at
 * least half of a processor. Below that it falls in proportion, but never below 0.1.
 */
export function carriedShare(lateMs: number): number {
  return Math.max(leastShare, Math.min(1, (2 * workMs) / (workMs + lateMs)));
}
