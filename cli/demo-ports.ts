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

/** Preferred at the first run; another is chosen where one is taken. */
const defaultPorts: Ports = { api: 8080, source: 9101, destination: 9102, fxProvider: 9103 };

const portOwners = {
  api: 'api',
  source: 'source operators',
  destination: 'destinations',
  fxProvider: 'FX providers',
} as const satisfies Record<keyof Ports, string>;

/** What it means for payments that are still open; those who are sent instructions and trades are asked where they are now. */
const openPayments = {
  api: '; whoever reports on a payment that is still open finds the old one, and is asked again',
  source:
    '; callbacks of payments that are still open wait until their message is sent again with an address of now (DUP-1)',
  destination: '',
  fxProvider: '',
} as const satisfies Record<keyof Ports, string>;

/**
 * Chooses the ports and keeps them in the folder, beside `run.json`, which goes with the run.
 * @param say told of each port that could not be the preferred one
 */
export async function choosePorts(folder: string, say: Say, free: FreePort = freePort): Promise<Ports> {
  const path = join(folder, 'ports.json');
  const last = readPorts(path);
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
  writeFileSync(path, `${JSON.stringify(ports, null, 2)}\n`);
  return ports;
}

/** Undefined where there are none that can be read: the defaults do as well. */
function readPorts(path: string): Ports | undefined {
  try {
    return portsShape.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    return undefined;
  }
}
