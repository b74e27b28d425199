// A demo that was killed leaves its run file behind, and another Isthmus may hold its port by then: no command pays
// there.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { testGateway } from '../harness/gateway.ts';
import { commandFolder } from './command.ts';

const gateway = await testGateway();
const place = await commandFolder();
afterAll(() => place.remove());

/** As a demo at that address wrote it before it was killed. */
function leaveRunFile(): void {
  const journalDirectory = join(place.folder, 'journal');
  mkdirSync(journalDirectory, { recursive: true });
  const left = {
    instanceId: '3f1c9d8e-6a0b-4b57-9a44-0d2a1f3e5c77',
    apiUrl: gateway.url,
    temporalAddress: gateway.temporalAddress,
    temporalNamespace: 'default',
    databaseUrl: gateway.databaseUrl,
    sandbox: {
      source: new URL(gateway.sandbox.callbackUrl('SGDFAST')).origin,
      destination: new URL(gateway.sandbox.destinationUrl('IPSO-TH')).origin,
      fxProvider: new URL(gateway.sandbox.fxpBaseUrl('MERISGS0')).origin,
    },
    metrics: { api: `${gateway.url}/metrics`, worker: `${gateway.url}/metrics` },
    journalDirectory,
    logDirectory: join(place.folder, 'logs'),
    replaced: { operators: {}, fxps: {} },
    pids: {},
  };
  writeFileSync(join(place.folder, 'run.json'), JSON.stringify(left));
}

it('npm run pay pays nowhere when what answers at its address is another Isthmus', async () => {
  leaveRunFile();
  const { code, output } = await place.finish('pay', '--to', 'MY', '--amount', '250', '--wait', '5');
  expect({ code, output }).toEqual({ code: 1, output: expect.stringMatching(/another Isthmus/) as unknown });
  expect(await gateway.db.selectFrom('quote_requests').select('quote_request_id').execute()).toEqual([]);
  expect(await gateway.db.selectFrom('messages').select('message_id').execute()).toEqual([]);
});

it('npm run where names no address of another Isthmus', async () => {
  leaveRunFile();
  const { code, output } = await place.finish('where', 'api');
  expect({ code, output }).toEqual({ code: 1, output: expect.stringMatching(/another Isthmus/) as unknown });
  expect(output.split('\n')).not.toContain(gateway.url);
});
