// The Temporal development server keeps open workflows over a restart and has the search attributes.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Connection, WorkflowClient } from '@temporalio/client';
import { afterAll, describe, expect, it } from 'vitest';
import { startTemporal, type RunningTemporal } from '../../../cli/parts/temporal.ts';
import { testTemporal } from '../../harness/temporal.ts';

const { env } = process;
const folder = mkdtempSync(join(tmpdir(), 'isthmus-temporal-'));
const options = {
  env: { ...env, TEMPORAL_ADDRESS: '' },
  folder,
  binFolder: resolve(import.meta.dirname, '..', '..', '..', '.isthmus', 'bin'),
  storage: 'file' as const,
  searchAttributes: [{ name: 'Uetr' }],
  ui: true,
  say: () => undefined,
};

afterAll(() => rmSync(folder, { recursive: true }));

describe('startTemporal', () => {
  it('keeps open workflows over a restart, serves the UI, and chooses another port when the default is taken', async () => {
    const first = await startTemporal(options);
    const taken = Number(first.address.split(':')[1]);
    expect((await fetch(first.uiAddress ?? '')).status).toBe(200);
    await connected(first, async (connection) => {
      const client = new WorkflowClient({ connection });
      await client.start('nobody-runs-this', { taskQueue: 'none', workflowId: 'kept', args: [] });
    });
    const beside = await startTemporal({
      ...options,
      folder: join(folder, 'beside'),
      ui: false,
      preferredPorts: { grpc: taken, ui: 0 },
    });
    expect(beside.address).not.toBe(first.address);
    expect(beside.uiAddress).toBeUndefined();
    await beside.stop();
    await first.stop();

    const second = await startTemporal(options);
    await connected(second, async (connection) => {
      const description = await new WorkflowClient({ connection }).getHandle('kept').describe();
      expect(description.status.name).toBe('RUNNING');
    });
    await second.stop();
    await expect(second.exited).resolves.toMatch(/^it (exited with code|was ended by)/);
  });

  it('says why with the end of its log when the server does not start', async () => {
    const failing = startTemporal({ ...options, env: { ...options.env, TEMPORAL_CLI: process.execPath } });
    await expect(failing).rejects.toThrow(
      'The Temporal server did not become healthy: it exited with code 1',
    );
  });

  it('uses the server of TEMPORAL_ADDRESS, registers missing search attributes, and leaves it running', async () => {
    const { address } = await testTemporal();
    const searchAttributes = [{ name: 'RegisteredLater' }];
    const server = await startTemporal({ ...options, env: { TEMPORAL_ADDRESS: address }, searchAttributes });
    expect(server.address).toBe(address);
    await server.stop();
    await connected(server, async (connection) => {
      const known = await connection.operatorService.listSearchAttributes({ namespace: 'default' });
      expect(Object.keys(known.customAttributes)).toEqual(
        expect.arrayContaining(['RegisteredLater', 'Uetr']),
      );
    });
  });

  it('says so when nothing answers at TEMPORAL_ADDRESS', async () => {
    const silent = startTemporal({ ...options, env: { TEMPORAL_ADDRESS: '127.0.0.1:1' } });
    await expect(silent).rejects.toThrow(
      'TEMPORAL_ADDRESS names 127.0.0.1:1, where no Temporal server answers',
    );
  });
});

async function connected(
  server: RunningTemporal,
  use: (connection: Connection) => Promise<void>,
): Promise<void> {
  const connection = await Connection.connect({ address: server.address });
  try {
    await use(connection);
  } finally {
    await connection.close();
  }
}
