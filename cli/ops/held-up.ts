// Explains why messages are not being sent, according to the workers' latest reports.
import { mostSendsAtOnce } from '../../core/deliveries/receiver.ts';
import type { Terminal } from '../terminal.ts';
import type { ShownHindrances } from './answers.ts';

const wordEverySeconds = 5; // interval of the workers' reports, set in activities/upkeep/report-receivers.ts
const missedAfterSeconds = 2 * wordEverySeconds; // two intervals, because one report may be late

/**
 * Says whether Temporal or all workers are down. It checks Temporal first, because workers cannot work
 * without it.
 */
export function silenceOf({
  engineAnswers,
  workers,
  workerHeardSecondsAgo: heard,
}: Pick<ShownHindrances, 'engineAnswers' | 'workers' | 'workerHeardSecondsAgo'>): string | undefined {
  if (!engineAnswers) return 'Temporal does not answer: nothing goes out until it does.';
  if (workers === '0' || heard === null)
    return 'No worker has reported for 30 s: nothing is judged or sent until one runs.';
  if (Number(heard) < missedAfterSeconds) return undefined;
  return (
    `No worker has reported for ${heard} s; each reports every ${wordEverySeconds} s. ` +
    'Perhaps none runs: then nothing is judged or sent.'
  );
}

const named = (one: ShownHindrances['noUsableAddress'][number]) =>
  `${one.kind} to ${one.party}${'number' in one ? ` (${one.number} of these)` : ''}`;

function hindrancesInWords(shown: ShownHindrances): readonly string[] {
  const silence = silenceOf(shown);
  const { workers, heldUp, noUsableAddress } = shown;
  const nowhere = noUsableAddress.map(
    (one) =>
      `${named(one)}: it has no address that may be used (no-usable-address), and waits until one is registered.`,
  );
  if (silence !== undefined) return [silence, ...nowhere];
  const waiting = heldUp.map(({ breakersOpen, gatesFull, ...one }) =>
    breakersOpen === '0'
      ? `${named(one)}: all ${mostSendsAtOnce} places were taken in ${gatesFull} of ${workers} workers a few seconds ago. It goes out in its turn.`
      : `${named(one)}: the breaker is open in ${breakersOpen} of ${workers} workers. It goes out once a probe is answered; there is one every minute, or more often.`,
  );
  return [...nowhere, ...waiting];
}

/** Prints why messages are not being sent. It prints nothing if all messages can be sent. */
export function printHindrances(terminal: Terminal, shown: ShownHindrances): void {
  for (const line of hindrancesInWords(shown)) terminal.line(terminal.paint('warning', `! ${line}`));
}

/**
 * Describes the receiver of a gate key. The key for callbacks is `<party> <host> <origin>`. The key of a
 * party behind a directory is `<address> <party>`. Any other key is a registered address.
 */
export function receiverInWords(receiver: string, whose: readonly string[]): string {
  const [first = '', second, origin] = receiver.split(' ');
  if (second === undefined) return whose.length === 0 ? receiver : `${whose.join(', ')} at ${receiver}`;
  if (origin === undefined) return `${second}, asked through ${first}`;
  return `${first} at ${origin === '' ? second : origin} (callbacks)`;
}
