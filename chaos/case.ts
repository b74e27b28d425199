// The folder of one run: what is written down while it goes on. The oracle reads it afterwards, and knows nothing else.
import { createWriteStream, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import type { Exchange, FaultRecord, MachineBeat, RunRecord } from './oracle/evidence.ts';

export interface Case {
  readonly folder: string;
  recordExchange(exchange: Exchange): void;
  recordFault(fault: FaultRecord): void;
  recordBeat(beat: MachineBeat): void;
  /** Written last: a folder without it is of a run that did not come to its end. */
  close(run: RunRecord): Promise<void>;
}

export function openCase(folder: string): Case {
  mkdirSync(folder, { recursive: true });
  const exchanges = createWriteStream(join(folder, 'exchanges.jsonl'));
  const faults = createWriteStream(join(folder, 'faults.jsonl'));
  const machine = createWriteStream(join(folder, 'machine.jsonl'));
  return {
    folder,
    recordExchange: (exchange) => void exchanges.write(`${JSON.stringify(exchange)}\n`),
    recordFault: (fault) => void faults.write(`${JSON.stringify(fault)}\n`),
    recordBeat: (beat) => void machine.write(`${JSON.stringify(beat)}\n`),
    close: async (run) => {
      await Promise.all([exchanges, faults, machine].map((stream) => finished(stream.end())));
      writeFileSync(join(folder, 'run.json'), `${JSON.stringify(run, null, 2)}\n`);
    },
  };
}
