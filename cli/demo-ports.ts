// Where the api and the sandbox's parties of a demo listen: where they did at the last run of the folder, for messages
// of payments that are open name these addresses; at first the defaults. It must not hold a port open.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { freePort, type FreePort } from './parts/ports.ts';
import type { Say } from './parts/progress.ts';

const port = z.int().min(1).max(65_535);
const portsShape = z.object({ api: port, source: port, destination: port, fxProvider: port });
export type Ports = Readonly<z.infer<typeof portsShape>>;
/** Beside them, so that links to a payment stay good. */
const keptShape = portsShape.extend({ temporalUi: port.optional() });
type KeptPorts = Readonly<z.infer<typeof keptShape>>;

/** Preferred at the first run; another is chosen where one is taken. */
const defaultPorts: Ports = { api: 8080, source: 9101, destination: 9102, fxProvider: 9103 };

const portOwners = {
  api: 'api',
  source: 'source operators',
  destination: 'destinations',
  fxProvider: 'FX providers',
} as const satisfies Record<keyof Ports, string>;

/**
 * What it means for payments that are still open: whoever is sent an instruction, a trade or a callback is sent it where
 * they are now.
 */
const openPayments = {
  api: '; whoever reports on a payment that is still open finds the old one, and is asked again',
  source: '',
  destination: '',
  fxProvider: '',
} as const satisfies Record<keyof Ports, string>;

export interface ChosenPorts {
  readonly ports: Ports;
  /** Those of the last run of the folder; undefined: there was none, or nothing is known of it. */
  readonly last: Ports | undefined;
  /** Keeps them in the folder, beside `run.json`, which goes with the run: once everybody is told where they are now. */
  readonly keep: (temporalUi: number | undefined) => void;
}

const pathIn = (folder: string) => join(folder, 'ports.json');

/** Where the Temporal UI was at the last run. */
export const lastTemporalUi = (folder: string): number | undefined => readPorts(pathIn(folder))?.temporalUi;

/** @param say told of each port that could not be the preferred one */
export async function choosePorts(folder: string, say: Say, free: FreePort = freePort): Promise<ChosenPorts> {
  const last = readPorts(pathIn(folder));
  const choose = async (name: keyof Ports) => {
    const preferred = (last ?? defaultPorts)[name];
    const chosen = await free(preferred);
    if (chosen === preferred) return chosen;
    const instead = `is taken (${portOwners[name]}): ${chosen} instead`;
    say(
      last === undefined
        ? `! Port ${preferred} ${instead}`
        : `! Port ${preferred}, of the last run, ${instead}${openPayments[name]}`,
    );
    return chosen;
  };
  const ports = {
    api: await choose('api'),
    source: await choose('source'),
    destination: await choose('destination'),
    fxProvider: await choose('fxProvider'),
  };
  const keep = (temporalUi: number | undefined) => {
    const kept: KeptPorts = { ...ports, ...(temporalUi !== undefined && { temporalUi }) };
    writeFileSync(pathIn(folder), `${JSON.stringify(kept, null, 2)}\n`);
  };
  return { ports, last, keep };
}

/** Undefined where there are none that can be read: the defaults do as well. */
function readPorts(path: string): KeptPorts | undefined {
  try {
    return keptShape.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    return undefined;
  }
}
