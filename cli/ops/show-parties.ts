// Prints the output of `isthmus ops parties`: parties that are down, payments that wait for a final status,
// and messages that the gateway refused.
import type { Style, Terminal } from '../terminal.ts';
import type { ShownParties } from './answers.ts';
import { receiverInWords, silenceOf } from './held-up.ts';
import { printTable, shortTime } from './show.ts';

const partyColumns = [
  'party',
  'kind',
  'state',
  'sent',
  'taken',
  'p95 ms',
  'last taken (UTC)',
  'open',
  'dead',
  'failures',
];

const stateStyles: Readonly<Partial<Record<string, Style>>> = { down: 'bad', failing: 'warning' };

/** Prints the state of all parties. */
export function printParties(terminal: Terminal, shown: ShownParties): void {
  const { minutes, workers, codeSets, parties, receivers } = shown;
  const silence = silenceOf(shown);
  if (silence !== undefined) terminal.line(terminal.paint('bad', silence));
  for (const one of shown.paused) {
    const line = `${one.party} is paused since ${shortTime(one.at)} by ${one.by}: ${one.because}`;
    terminal.line(terminal.paint('warning', line));
  }
  terminal.line(
    terminal.paint('muted', `External code sets: edition ${codeSets.edition} of ${codeSets.published}`),
  );
  terminal.line(
    terminal.paint('muted', `Attempts of the last ${minutes} minutes; open and dead: of all time`),
  );
  const kinds = parties.flatMap(({ party, kinds: own }) => own.map((one) => ({ party, ...one })));
  const rows = kinds.map((one) => [
    one.party,
    one.kind,
    one.state,
    one.attempts,
    one.taken,
    one.p95Ms ?? '-',
    shortTime(one.lastTakenAt),
    one.open,
    one.dead,
    Object.entries(one.failures)
      .map(([failure, times]) => `${failure} ${times}`)
      .join(', '),
  ]);
  printTable(terminal, partyColumns, rows, (index) => stateStyles[kinds[index]?.state ?? '']);
  for (const { party, waiting, oldestWaitingSince } of parties.filter((one) => one.waiting !== '0')) {
    const [count, verb] = waiting === '1' ? ['1 payment', 'waits'] : [`${waiting} payments`, 'wait'];
    terminal.line(
      `${party}: ${count} ${verb} for its final status, the oldest since ${shortTime(oldestWaitingSince)}`,
    );
  }
  for (const party of parties.filter((one) => one.refused !== '0')) printRefused(terminal, party);
  for (const { party, signaturesRefused } of parties) {
    const { today, lastAt, lastWhy } = signaturesRefused;
    if (today === '0') continue;
    const line = `${party}: messages refused for their signature today (UTC): ${today}, the last at ${shortTime(lastAt)}. ${lastWhy ?? ''}`;
    terminal.line(terminal.paint('warning', line));
  }
  for (const { receiver, parties: whose, open, probing, failuresInARow } of receivers) {
    const held = Number(open) + Number(probing);
    if (held === 0) continue;
    const line = `${receiverInWords(receiver, whose)}: breaker open in ${held} of ${workers} workers, ${failuresInARow} failures in a row`;
    terminal.line(terminal.paint('bad', line));
  }
}

/**
 * Prints how many messages of a party the gateway refused, and the command that shows each reason. Most
 * refused messages raise no alert, so the operator must see them here.
 */
function printRefused(
  terminal: Terminal,
  { party, refused, refusedOf }: ShownParties['parties'][number],
): void {
  const line = `${party}: ${refused} of its answers and reports did not count. Why, and what they were:`;
  terminal.line(terminal.paint('warning', line));
  for (const { subjectId, about, messages } of refusedOf) {
    const where =
      about === 'payment'
        ? `ops show ${subjectId}`
        : `ops alerts --state open,taken,closed --subject-id ${subjectId}`;
    terminal.line(`  ${messages} of ${subjectId}: ${where}`);
  }
  const named = refusedOf.reduce((sum, { messages }) => sum + Number(messages), 0);
  if (named < Number(refused)) terminal.line(`  and ${Number(refused) - named} before them, of others`);
}
