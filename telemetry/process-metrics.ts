// The metrics of every process (OBS-2): memory, event loop, garbage collection, and the connections of its pool.
import { collectDefaultMetrics, Gauge, type Registry } from 'prom-client';

/** The connections of a pool, at this moment. */
export interface PoolState {
  readonly total: number;
  readonly idle: number;
  /** Queries that wait for a connection. */
  readonly waiting: number;
}

export function addProcessMetrics(registry: Registry, pool: () => PoolState): void {
  collectDefaultMetrics({ register: registry });
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
