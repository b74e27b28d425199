// The metrics of every process: memory, event loop, garbage collection, and its database connections.
import { collectDefaultMetrics, Gauge, type Registry } from '@prometheus-io/client';

/** The current state of a connection pool. */
export interface PoolState {
  readonly total: number;
  readonly idle: number;
  /** Number of queries that wait for a connection. */
  readonly waiting: number;
}

/** The edition of the external code sets that a process uses. */
export interface LoadedEdition {
  readonly edition: string;
  readonly published: string;
}

export interface ProcessState {
  readonly pool: () => PoolState;
  readonly codeSets: LoadedEdition;
}

export function addProcessMetrics(registry: Registry, { pool, codeSets }: ProcessState): void {
  collectDefaultMetrics({ register: registry });
  const { edition, published } = codeSets;
  new Gauge({
    name: 'isthmus_code_sets_info',
    help: 'Always 1: the edition of the external code sets by which this process judges (MSG-4)',
    labelNames: ['edition', 'published'],
    registers: [registry],
  }).set({ edition, published }, 1);
  new Gauge({
    name: 'isthmus_database_connections',
    help: 'Connections to Postgres: total, idle; and queries that wait for one',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      const { total, idle, waiting } = pool();
      this.set({ state: 'total' }, total);
      this.set({ state: 'idle' }, idle);
      this.set({ state: 'waiting' }, waiting);
    },
  });
}
