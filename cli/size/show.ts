// Prints a sizing: what is needed, the times by the model, the limits, and every number that it rests on.
import { renderTable, type Terminal } from '../terminal.ts';
import { daySeconds, type Limit } from './limits.ts';
import type { Sizing } from './size.ts';

const limitsAhead = 1; // limits above the rate that are shown too

export function printSizing(terminal: Terminal, sizing: Sizing): void {
  const { perSecond, parts, shards, connections, times } = sizing;
  const title = (text: string) => terminal.line(`\n${terminal.paint('heading', text)}`);
  const table = (titles: readonly string[], rows: readonly (readonly string[])[]) => {
    for (const line of renderTable(titles, rows)) terminal.line(line);
  };
  terminal.line(terminal.paint('heading', `${digits(perSecond)} payments per second`));
  terminal.line(verdict(sizing));
  table(
    ['part', 'busy cores', 'cores', 'processes'],
    [
      ...parts.map(({ part, busyCores, cores, processes }) => [
        part,
        digits(busyCores, 1),
        digits(cores),
        processes === undefined ? '-' : digits(processes),
      ]),
      [
        'together',
        digits(sum(parts.map(({ busyCores }) => busyCores)), 1),
        digits(sum(parts.map(({ cores }) => cores))),
        '-',
      ],
    ],
  );
  terminal.line(`History shards of Temporal (NUM_HISTORY_SHARDS): ${digits(shards)}, chosen once for ever`);
  terminal.line(
    `Connections, at most, also during an upgrade: ${digits(connections.isthmus)} to Isthmus' Postgres, ${digits(connections.temporal)} to Temporal's`,
  );
  title('Time, by the model, as if no limit were reached');
  table(
    ['from the pacs.008 to', 'p50 ms', 'p99 ms'],
    [
      ['its answer (ACTC)', digits(times.submitMs.p50), digits(times.submitMs.p99)],
      ['the callback', digits(times.finalMs.p50), digits(times.finalMs.p99)],
    ],
  );
  title(`Disk, with ${digits(perSecond * daySeconds * sizing.figures.dayShare.value)} payments a day`);
  table(
    ['what', 'GB a day', 'kept days', 'TB kept'],
    sizing.disk.map(({ what, bytesPerDay, keptDays }) => [
      what,
      digits(bytesPerDay / 1e9, 1),
      digits(keptDays),
      digits((bytesPerDay * keptDays) / 1e12, 1),
    ]),
  );
  title('Partitions');
  table(
    ['tables', 'by', 'at a time', 'GB each'],
    sizing.partitions.map(({ tables, by, count, bytes }) => [
      tables,
      by,
      digits(count),
      digits(bytes / 1e9, 1),
    ]),
  );
  title('Limits');
  printLimits(terminal, sizing);
  title('Assumptions');
  for (const { what, value, unit, source } of Object.values(sizing.figures))
    terminal.line(
      `- ${what}: ${unit === 'of 1' ? `${digits(value * 100)} %` : `${digits(value, 2)} ${unit}`} (${source})`,
    );
  terminal.line('- kept days are the defaults, and 7 for histories and log');
  terminal.line('- CPU times and arrivals are exponential, so that waits are rather too long than too short');
}

/** The answer in a sentence: whether this release can do it. */
function verdict({ limits, perSecond }: Sizing): string {
  const [settings, code] = (['setting', 'code'] as const).map((takes) =>
    limits.filter((limit) => limit.perSecond <= perSecond && limit.takes === takes),
  ) as [Limit[], Limit[]];
  const [first] = code;
  const many = (some: readonly Limit[]) => (some.length === 1 ? 'one limit' : `${some.length} limits`);
  const bySettings =
    settings.length === 0 ? '' : ` It reaches ${many(settings)} that a setting or a server mends.`;
  return first === undefined
    ? `This release can do it, by the model.${bySettings}`
    : `This release cannot do it: ${many(code)} ${code.length === 1 ? 'needs' : 'need'} new code, the first at ${digits(first.perSecond)} a second.${bySettings}`;
}

const mends = { setting: 'Mend', code: 'Mend, new code' };

function printLimits(terminal: Terminal, { limits, perSecond }: Sizing): void {
  const reached = limits.filter((limit) => limit.perSecond <= perSecond);
  const ahead = limits.slice(reached.length, reached.length + limitsAhead);
  const print = ({ name, perSecond: at, why, mend, takes }: Limit) => {
    terminal.line(`- ${name}, at ${digits(at)} a second: ${why}.`);
    terminal.line(`  ${mends[takes]}: ${mend}.`);
  };
  if (reached.length === 0) terminal.line('No limit is reached. The next one:');
  else terminal.line(terminal.paint('warning', `Reached, first: ${reached[0]?.name ?? ''}`));
  for (const limit of reached) print(limit);
  if (reached.length > 0 && ahead.length > 0) terminal.line('The next one:');
  for (const limit of ahead) print(limit);
}

const digits = (value: number, most = 0) => value.toLocaleString('en-US', { maximumFractionDigits: most });
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
