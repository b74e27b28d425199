// The interface of a drill: something that the operators of a real system do or suffer, played on a small system under
// payments. The other files of this folder define the drills, and all.ts lists them.
import { setTimeout as delay } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import type { ThrowawayPlace } from '../../cli/throwaway.ts';
import { namespace } from '../system/system.ts';
import type { DrillLoad } from './load.ts';
import type { DrillSystem, Release } from './system.ts';

export interface Stage {
  readonly system: DrillSystem;
  readonly load: DrillLoad;
  readonly place: ThrowawayPlace;
  /** The release that runs at the start, and the one that replaces it. Only `upgrade` and `rollback` have two. */
  readonly releases: { readonly before: Release; readonly after: Release };
  /** Does one step, and prints what was done and how long it took. */
  readonly step: <T>(what: string, work: () => Promise<T>) => Promise<T>;
  /** Prints a finding. */
  readonly note: (what: string) => void;
  /** Says that the action begins now, and not with the call of `Play`. Times are measured from here. */
  readonly begin: () => void;
  /** Waits while payments go on, as long as the option `--seconds` says. */
  readonly pay: () => Promise<void>;
}

/**
 * Plays a drill under payments. It returns when every process is ready again.
 * @returns UETRs that the database no longer has, if a backup was restored
 */
export type Play = () => Promise<ReadonlySet<string> | undefined>;

export interface Drill {
  /** What happens, in one sentence. */
  readonly tells: string;
  /** Whether the workers are versions of a Worker Deployment. */
  readonly isVersioned?: true;
  /** Settings of Postgres beside its usual ones. */
  readonly postgresSettings?: Readonly<Record<string, string>>;
  /** Prepares the system before the first payment. */
  prepare(stage: Stage): Promise<Play>;
  /** The page that says how an operator does the same on a real system, and its commands. */
  readonly page: string;
  readonly commands: readonly string[];
}

const noticeMs = 5_000; // as long as a failover manager needs to be sure

/** Waits as long as it takes to notice that a server is lost. */
export const untilNoticed = ({ step }: Stage): Promise<unknown> =>
  step('somebody notices, and acts', () => delay(noticeMs));

/** Runs `use` on a new client of the drill's Temporal server. */
export async function withTemporal<T>(
  { servers }: DrillSystem,
  use: (client: Client) => Promise<T>,
): Promise<T> {
  const connection = await Connection.connect({ address: servers.engine().address, connectTimeout: '10 s' });
  try {
    return await use(new Client({ connection, namespace }));
  } finally {
    await connection.close();
  }
}
