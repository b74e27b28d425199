// The addresses and queries that the command line prints can be opened and pasted as they are.
import { Client, Connection } from '@temporalio/client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { printAddresses, printClients } from '../../cli/demo/addresses.ts';
import { placeIn } from '../../cli/demo/where.ts';
import type { RunFile } from '../../cli/demo/run-file.ts';
import { openTerminal } from '../../cli/terminal.ts';
import { readDocument } from '../docs/documents.ts';
import { testTemporal } from '../harness/temporal.ts';

const temporal = await testTemporal();
let client: Client;
beforeAll(async () => {
  const connection = await Connection.connect({ address: temporal.address });
  client = new Client({ connection, namespace: temporal.namespace });
});
afterAll(() => client.connection.close());

const run: RunFile = {
  instanceId: 'a',
  apiUrl: 'http://127.0.0.1:18080',
  temporalUiUrl: 'http://127.0.0.1:18233',
  temporalAddress: temporal.address,
  temporalNamespace: 'default',
  databaseUrl: 'postgres://isthmus:secret@127.0.0.1:15432/isthmus',
  sandbox: { source: 'http://a', destination: 'http://b', fxProvider: 'http://c' },
  metrics: { api: 'http://127.0.0.1:9464/metrics', worker: 'http://127.0.0.1:9465/metrics' },
  journalDirectory: '/j',
  logDirectory: '/l',
  replaced: { operators: {}, fxps: {} },
  pids: {},
};

/** What is printed about a run, a line each, without indentation and line breaks of a narrow terminal. */
function printed(print: typeof printAddresses, about: RunFile): readonly string[] {
  const text: string[] = [];
  print(openTerminal({ write: (some) => text.push(some), colours: false, columns: 500 }), about);
  return text
    .join('')
    .split('\n')
    .map((line) => line.trim());
}

it('a party of one’s own is printed with its address, and not among those of the sandbox', () => {
  const lines = printed(printAddresses, {
    ...run,
    replaced: { operators: { 'IPSO-PH': 'http://p:9000' }, fxps: { MERISGS0: 'http://m:9001' } },
  });
  const ids =
    lines
      .find((line) => line.startsWith('Destinations'))
      ?.split('operator id: ')[1]
      ?.split(' ') ?? [];
  expect(ids).toContain('IPSO-MY');
  expect(ids).not.toContain('IPSO-PH');
  const [, own, fxProviders, ownFxp] = lines.slice(
    lines.findIndex((line) => line.startsWith('Destinations')),
  );
  expect(own).toBe('yours, IPSO-PH: http://p:9000/iso20022/pacs008');
  expect(fxProviders).toMatch(/^FX providers +http:\/\/c\/<BIC>\/iso20022\/fxtr017; BIC: [^;]*$/);
  expect(fxProviders).not.toContain('MERISGS0');
  expect(ownFxp).toBe('yours, MERISGS0: http://m:9001/iso20022/fxtr017');
});

it('both persons of the scheme are named, where clients are: settle takes two (LIF-4)', () => {
  const line = printed(printClients, run).find((one) => one.includes('Scheme operators'));
  expect(line).toMatch(/operator operator2/);
  expect(readDocument('docs/how-to/call-the-api.md')).toContain('`operator2`');
});

it('the Temporal UI opens at the list of payments, by a query that the server takes', async () => {
  const text = printed(printAddresses, run).join('\n');
  const [link = ''] = /http:\/\/127\.0\.0\.1:18233\S*/.exec(text) ?? [];
  const url = new URL(link);
  expect(url.pathname).toBe('/namespaces/default/workflows');
  expect(url.searchParams.get('query')).toBe('WorkflowType = "payment"');
  expect(placeIn(run, 'temporal-ui')).toBe(link);
  await client.workflow.count(url.searchParams.get('query') ?? '');
  expect(text).not.toContain('secret');
});

it("every query of the operators' pages is taken by the server", async () => {
  const rows = readDocument('docs/operations/postgres-and-temporal.md').matchAll(
    /^\| [^|]+ \| `([^`]*=[^`]*)` +\|$/gm,
  );
  const queries = [...rows].map(([, query = '']) => query);
  expect(queries.length).toBeGreaterThan(7);
  expect(queries.join(' ')).toContain('INDOUBT');
  for (const query of queries) await expect(client.workflow.count(query), query).resolves.toBeDefined();
});
