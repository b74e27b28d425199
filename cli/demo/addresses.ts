// Prints the addresses, the clients and example commands of a running demo.
import { relative } from 'node:path';
import { demoCountries, demoFxpBics, demoSystems } from './scheme.ts';
import { paymentsUrl, type RunFile } from './run-file.ts';
import { wrap, type Terminal } from '../terminal.ts';

const labelWidth = 18;

export function printAddresses(terminal: Terminal, run: RunFile): void {
  const { sandbox, replaced } = run;
  const simulated = (ids: readonly string[], own: Readonly<Record<string, string>>) =>
    [...new Set(ids)].filter((id) => own[id] === undefined).join(' ');
  const operators = simulated(
    demoSystems.map((system) => system.operatorId),
    replaced.operators,
  );
  const fxps = simulated(demoFxpBics, replaced.fxps);
  const row = (label: string, text: string) => printRow(terminal, label, text);
  terminal.line();
  terminal.line(terminal.paint('heading', 'Addresses'));
  row('Portal', `${run.apiUrl}/portal`);
  row('API', run.apiUrl);
  row('API reference', `${run.apiUrl}/reference`);
  const payments = paymentsUrl(run);
  if (payments !== undefined) row('Temporal UI', payments);
  row('Temporal', run.temporalAddress);
  const { host, pathname } = new URL(run.databaseUrl); // leaves out the password
  row('Postgres', `${host}${pathname}`);
  row('Source operators', `${sandbox.source}/callbacks/<payment system id>/pacs002`);
  row('Destinations', `${sandbox.destination}/<operator id>/iso20022/pacs008; operator id: ${operators}`);
  for (const [id, base] of Object.entries(replaced.operators))
    row('', `yours, ${id}: ${base}/iso20022/pacs008`);
  row('FX providers', `${sandbox.fxProvider}/<BIC>/iso20022/fxtr017; BIC: ${fxps}`);
  for (const [bic, base] of Object.entries(replaced.fxps)) row('', `yours, ${bic}: ${base}/iso20022/fxtr017`);
  row('Metrics', `${run.metrics.api} (api), ${run.metrics.worker} (worker)`);
  row('Journals', `${fromHere(run.journalDirectory)}/*.jsonl, one file per party`);
  row('Logs', `${fromHere(run.logDirectory)}/{api,worker,sandbox}.log`);
  row(
    'Processes',
    Object.entries(run.pids)
      .map(([name, pid]) => `${name} ${pid}`)
      .join(', '),
  );
}

export function printClients(terminal: Terminal): void {
  const systems = demoSystems.map((system) => system.clearingSystemId).join(' ');
  const countries = demoCountries.join(' ');
  const fxps = demoFxpBics.join(' ');
  const row = (label: string, text: string) => printRow(terminal, label, text);
  terminal.line();
  terminal.line(terminal.paint('heading', 'Clients') + ', each with the secret demo-<client id>');
  row('PSPs', `LOTU<country>S0 BANY<country>S0, as in LOTUSGS0, LOTUTHS0; country is one of ${countries}`);
  row('Payment systems', `${systems}, each with the role ipso: its operator`);
  row('FX providers', fxps);
  row('Scheme operators', 'operator operator2: two persons, because settle takes two');
}

function printRow(terminal: Terminal, label: string, text: string): void {
  const [first = '', ...rest] = wrap(text, terminal.width - labelWidth - 2);
  terminal.line(`  ${terminal.paint('muted', label.padEnd(labelWidth))}${first}`);
  for (const line of rest) terminal.line(`  ${' '.repeat(labelWidth)}${line}`);
}

function fromHere(path: string): string {
  const short = relative(process.cwd(), path);
  return short.startsWith('..') ? path : short;
}
