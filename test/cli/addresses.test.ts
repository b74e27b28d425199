// What a person can open or paste: the list of payments in the Temporal UI, and the queries that the documents name.
import { Client, Connection } from '@temporalio/client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { printAddresses } from '../../cli/addresses.ts';
import { placeIn } from '../../cli/places.ts';
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

const run = {
  instanceId: 'a',
  apiUrl: 'http://127.0.0.1:18080',
  temporalUiUrl: 'http://127.0.0.1:18233',
  temporalAddress: temporal.address,
  temporalNamespace: 'default',
  databaseUrl: 'postgres://isthmus:secret@127.0.0.1:15432/isthmus',
  sandbox: { source: 'http://a', destination: 'http://b', fxProvider: 'http://c' },
  journalDirectory: '/j',
  logDirectory: '/l',
  replaced: { operatorIds: [], fxpBics: [] },
  pids: {},
};

it('the Temporal UI opens at the list of payments, by a query that the server takes', async () => {
  const printed: string[] = [];
  printAddresses(openTerminal({ write: (text) => printed.push(text), colours: false, columns: 200 }), run);
  const [link = ''] = /http:\/\/127\.0\.0\.1:18233\S*/.exec(printed.join('')) ?? [];
  const url = new URL(link);
  expect(url.pathname).toBe('/namespaces/default/workflows');
  expect(url.searchParams.get('query')).toBe('WorkflowType = "payment"');
  expect(placeIn(run, 'temporal-ui')).toBe(link);
  await client.workflow.count(url.searchParams.get('query') ?? '');
  expect(printed.join('')).not.toContain('secret');
});

it('every query in docs/operations.md is taken by the server', async () => {
  const rows = readDocument('docs/operations.md').matchAll(/^\| [^|]+ \| `([^`]*=[^`]*)` +\|$/gm);
  const queries = [...rows].map(([, query = '']) => query);
  expect(queries.length).toBeGreaterThan(7);
  expect(queries.join(' ')).toContain('INDOUBT');
  for (const query of queries) await expect(client.workflow.count(query), query).resolves.toBeDefined();
});
