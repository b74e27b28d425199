// The command-line options of `npm run verify:chaos` and `npm run drill`.
import type { Command } from 'commander';
import { UsageError } from '../cli/errors.ts';

/** Default of --rate: payments and other requests per second, at most. */
export const usualRate = 5;

export interface ChaosOptions {
  readonly minutes?: string;
  readonly seed?: string;
  readonly fault?: string;
  readonly seconds?: string;
  readonly times?: string;
  readonly target?: string;
  readonly hours?: string;
  readonly calm?: true;
  readonly rate: string;
  readonly mutant?: string;
  readonly keep?: true;
  readonly judge?: string;
  readonly list?: true;
}

export function declareOptions(command: Command): Command {
  return command
    .usage('-- [options]')
    .description('put the whole system under faults, then let an independent judge read what it left behind')
    .option('--minutes <number>', 'how long payments are made and faults played', '5')
    .option(
      '--seed <number>',
      'seed for payments, faults, targets and times (default: a new one, which is printed)',
    )
    .option('--fault <name>', 'play this fault alone; --list names them')
    .option(
      '--seconds <number>',
      'how long that fault lasts (default: the longest that a run of five minutes draws)',
    )
    .option('--times <number>', 'how often it is played, one time after the other (default: once)')
    .option(
      '--target <name>',
      'target of the fault: worker-1, destination/IPSO-TH, all, ...; --list shows the possible targets (default: drawn by the seed)',
    )
    .option('--hours <number>', 'runs of --minutes with one seed after the other for that long')
    .option('--calm', 'no fault at all: shows what must not be found in a healthy system (I-20, TIM-1)')
    .option('--rate <number>', 'payments and other requests a second, at most', String(usualRate))
    .option('--mutant <name>', 'build a known mistake in: the judge must find it; `all` tries each')
    .option('--keep', 'keep the evidence also when nothing was found: it is the proof of a clean run')
    .option('--judge <folder>', 'judge the evidence of an earlier run again')
    .option('--list', 'name every fault and every mistake')
    .addHelpText('after', help);
}

const help = `
A run ends by itself: after the faults everything heals, and the judge waits at most two minutes for the system to come to rest, or ten on a machine that is too slow.
A run measures the machine and sends less than --rate while the machine is slow. Content is always judged; what came late while the machine was too slow is "not judged".
Exit code: 0 no invariant was broken (some may be not shown or not judged); 1 one was broken, or the run failed; 2 the options were not understood; 3 none was broken, but something was not judged, and the machine was too slow for more than half of the run (with --hours: in more than half of the runs).
docs/explanation/reliability.md says what is promised, and which command shows it.`;

export interface DrillOptions {
  readonly seconds: string;
  readonly rate: string;
  readonly other?: string;
}

/** Declares the options of `npm run drill`. */
export function declareDrill(command: Command): Command {
  return command
    .usage('-- <name> [options]')
    .description(
      'do under payments what operators do: upgrade, rollback, restore, lost-engine, lost-primary; docs/operations/drills.md says more',
    )
    .argument('[name]')
    .option('--seconds <number>', 'payments before and after, in seconds', '20')
    .option('--rate <number>', 'payments a second', '5')
    .option(
      '--other <folder>',
      'upgrade, rollback: a checkout of the other release, with its packages (default: this code)',
    );
}

/** @throws UsageError unless the text is a number in this range */
export function numberOf(text: string, option: string, [least, most]: readonly [number, number]): number {
  const value = Number(text);
  if (text.trim() !== '' && Number.isFinite(value) && value >= least && value <= most) return value;
  throw new UsageError(`${option} ${text}: it takes a number from ${least} to ${most}.`);
}
