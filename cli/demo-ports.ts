// Where the api and the sandbox's parties of a demo listen: where they did at the last run of the folder, for messages
// of payments that are open name these addresses; at first the defaults. It must not hold a port open.
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { freePort, type FreePort } from './parts/ports.ts';
import type { Say } from './parts/progress.ts';

const port = z.int().min(1).max(65_535);
const portsShape = z.object({ api: port, source: port, destination: port, fxProvider: port });
export type Ports = Readonly<z.infer<typeof portsShape>>;
const mostFormer = 20;
const keptShape = portsShape.extend({
  /** So that links to a payment stay good. */
  temporalUi: port.optional(),
  /** Where the source operators listened before: callbacks that name such a port belong where they are now. */
  formerSources: z.array(port),
});
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
  api: '. Whoever reports on a payment that is still open finds the old one. It is asked again, but in up to two hours: npm run ops -- enquire <UETR> asks at once',
  source: '. Callbacks of payments that are still open go there, too',
  destination: '',
  fxProvider: '',
} as const satisfies Record<keyof Ports, string>;

export interface ChosenPorts {
  readonly ports: Ports;
  /**
   * Where the source operators listened at any run before, and do not now. They are kept before anything is moved from
   * them, and for good: a start may be killed in between.
   */
  readonly formerSources: readonly number[];
}

const pathIn = (folder: string) => join(folder, 'ports.json');

/** Where the Temporal UI was at the last run. */
export const lastTemporalUi = (folder: string): number | undefined => readPorts(pathIn(folder))?.temporalUi;

/**
 * Keeps what it chose in the folder, beside `run.json`, which goes with the run.
 * @param temporalUi where it is at this run
 * @param say told of each port that could not be the preferred one
 */
export async function choosePorts(
  folder: string,
  {
    temporalUi,
    say,
    free = freePort,
  }: { readonly temporalUi?: number | undefined; readonly say: Say; readonly free?: FreePort },
): Promise<ChosenPorts> {
  const last = readPorts(pathIn(folder));
  const choose = async (name: keyof Ports) => {
    const preferred = (last ?? defaultPorts)[name];
    const chosen = await free(preferred);
    if (chosen === preferred) return chosen;
    const instead = `is taken (${portOwners[name]}): ${chosen} instead`;
    say(
      last === undefined
        ? `! Port ${preferred} ${instead}`
        : `! Port ${preferred}, of the last start, ${instead}${openPayments[name]}`,
    );
    return chosen;
  };
  const ports = {
    api: await choose('api'),
    source: await choose('source'),
    destination: await choose('destination'),
    fxProvider: await choose('fxProvider'),
  };
  const sources = new Set(last === undefined ? [] : [last.source, ...last.formerSources]);
  sources.delete(ports.source);
  const formerSources = [...sources].slice(0, mostFormer);
  writePorts(folder, { ...ports, ...(temporalUi !== undefined && { temporalUi }), formerSources });
  return { ports, formerSources };
}

/** Whole or not at all: what is half written is not read. */
function writePorts(folder: string, kept: KeptPorts): void {
  const unfinished = `${pathIn(folder)}.new`;
  writeFileSync(unfinished, `${JSON.stringify(kept, null, 2)}\n`);
  renameSync(unfinished, pathIn(folder));
}

/** Undefined where there are none that can be read: the defaults do as well. */
function readPorts(path: string): KeptPorts | undefined {
  try {
    return keptShape.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    return undefined;
  }
}
