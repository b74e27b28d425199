// The drill `lost-engine`: Temporal's database is lost under payments. An empty server takes its place, and the sweep
// starts the executions again from our record (LIF-2).
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { untilNoticed, type Drill } from './drill.ts';

export const lostEngine: Drill = {
  tells: 'Temporal and its database are lost, and an empty server takes their place.',
  prepare: (stage) =>
    Promise.resolve(async () => {
      const { system, place, step } = stage;
      await step('Temporal is killed and its database deleted', async () => {
        await system.servers.stopEngine();
        rmSync(join(place.folder, 'servers', 'temporal'), { recursive: true });
      });
      await untilNoticed(stage);
      await step('a new, empty Temporal server starts', () => system.servers.startEngine());
      const workers = [...system.running].filter(({ kind }) => kind === 'worker');
      await step('the workers are restarted one by one', async () => {
        for (const one of workers) await system.restart(one);
      });
      return undefined;
    }),
  page: 'docs/operations/postgres-and-temporal.md#temporal',
  commands: [
    'docker/temporal-schema.sh    # empty databases for Temporal; then start its server',
    'docker/temporal-namespace.sh    # the namespace and its search attributes',
    'restart the workers one by one with SIGTERM',
    'with worker versions: temporal worker deployment set-current-version, as after an upgrade',
  ],
};
