// Who reads the record of a payment: its two PSPs and their operators, the role operator, and anybody else, who learns
// nothing (SEC-1).
import type { Expected } from '../oracle/evidence.ts';
import type { Draft } from './draft.ts';
import type { Random } from './random.ts';
import { ends } from './scheme.ts';
import type { Tools } from './tools.ts';

/** Drawn before anything is sent. */
export interface Look {
  readonly afterMs: number;
  /** Client ids. */
  readonly readers: readonly string[];
  readonly strangers: readonly string[];
}

/** One of the source's side, one of the others who have a part in it, and two who have none. */
export function drawLook(random: Random, { corridor, debtorPsp, creditorPsp }: Draft): Look {
  const { source, destination } = corridor;
  const involved = [source.country, destination.country];
  const system = random.pick(
    ends.filter(({ country }) => !involved.includes(country)).map((one) => one.system),
  );
  const country = ['SG', 'MY', 'TH'].find((one) => !involved.includes(one)) ?? 'IN';
  const ofOthers = [source.system, destination.system].includes(system) ? [] : [system];
  return {
    afterMs: random.pick([random.integer(0, 80), random.integer(0, 6_000)]), // while it is being sent, or later
    readers: [
      random.pick([debtorPsp, debtorPsp, source.system]),
      random.pick([creditorPsp, destination.system, 'operator']),
    ],
    strangers: [`LOTU${country}S0`, ...ofOthers],
  };
}

const answered: Expected = { verdict: 'answered', rule: 'SEC-1' };
const notFound: Expected = { verdict: 'refused', status: 404 };

/**
 * @param isDecided whether its destination has: to that side there is no payment before a byte of it may have been sent
 */
export async function lookAfter(
  tools: Tools,
  { uetr, corridor, creditorPsp }: Draft,
  { api, look, isDecided }: { api: number; look: Look; isDecided: boolean },
): Promise<void> {
  if (!(await tools.rest(look.afterMs))) return;
  const path = `/payments/${uetr}`;
  const question = { api, method: 'GET', path, uetr } as const;
  for (const client of look.readers) {
    const isOfDestination = [corridor.destination.system, creditorPsp].includes(client);
    const expected = isDecided || !isOfDestination ? { expected: answered } : {};
    await tools.send({ ...question, client, purpose: 'evidence', ...expected });
  }
  for (const client of look.strangers)
    await tools.send({ ...question, client, purpose: 'evidence-of-others', expected: notFound });
}

/** The MsgId under which its destination got an instruction, for whoever reports on it; undefined: it cannot be read. */
export async function instructionId(
  tools: Tools,
  { uetr, corridor }: Draft,
  api: number,
): Promise<string | undefined> {
  const record = await tools.send({
    api,
    client: corridor.destination.system,
    method: 'GET',
    path: `/payments/${uetr}`,
    uetr,
    purpose: 'evidence',
  });
  if (record.status !== 200) return undefined;
  const { messages } = JSON.parse(record.text) as {
    readonly messages: readonly {
      readonly message: string;
      readonly leg: string;
      readonly messageIdentification: string;
    }[];
  };
  return messages.find(({ message, leg }) => message.startsWith('pacs.008') && leg === 'destination')
    ?.messageIdentification;
}
