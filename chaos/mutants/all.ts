// Known mistakes, each of which loses, duplicates or misreports a payment. The oracle must find each mistake.
// The command builds each mistake into a copy of the code, so that production code never contains it.
import { UsageError } from '../../cli/errors.ts';

export interface Mutant {
  /** The NAME of the option `--mutant NAME`. */
  readonly name: string;
  /** Describes the mistake in one sentence. */
  readonly tells: string;
  /** Replacement lines, keyed by the name of a seam (tree.ts). */
  readonly lines: Readonly<Record<string, string>>;
  /** Invariants or rules that the mistake breaks. The oracle must report at least one of them. */
  readonly breaks: readonly [string, ...string[]];
  /** The fault that exposes the mistake, and its duration. Absent if the mistake shows without any fault. */
  readonly shownBy?: {
    readonly fault: string;
    readonly seconds: number;
    /**
     * How often the fault is played. Set if only payments that are under way when the fault begins show the
     * mistake.
     */
    readonly times?: number;
    readonly target?: string;
  };
}

export const mutants: readonly Mutant[] = [
  {
    name: 'no-intent-row',
    tells: 'No attempt is on record before the socket opens.',
    lines: {
      'intent-row':
        'insert into delivery_attempts (delivery_id, attempt, begun_at) select delivery_id, attempts, begun_at from claimed where false',
    },
    breaks: ['I-17', 'I-12'],
  },
  {
    name: 'quote-used-twice',
    tells: 'A quote may carry two payments: its use is not unique.',
    lines: {
      'quote-use': 'on conflict (quote_id) do update set uetr = excluded.uetr',
      'quote-in-use': 'return undefined;',
    },
    breaks: ['I-6', 'R:MSG-3'],
  },
  {
    name: 'norm-rejected-on-timeout',
    tells: 'A NORM payment is rejected when its destination does not answer, though bytes have left.',
    lines: {
      'never-left': 'sql`(true',
    },
    breaks: ['I-4', 'I-8'],
    shownBy: { fault: 'destination-never-answers', seconds: 75 },
  },
  {
    name: 'stored-final-not-looked-at',
    tells: 'A final that is stored does not decide, if the gateway comes first.',
    lines: {
      'stored-final': 'and true',
      'first-final': "const final = cause.by === 'destination' ? report : null;",
    },
    breaks: ['I-18', 'I-4'],
    shownBy: { fault: 'engine-stands-still', seconds: 28, times: 8 },
  },
  {
    name: 'sent-after-the-deadline',
    tells: 'A HIGH instruction leaves although its deadline is past or it is decided.',
    lines: { 'claim-open': 'or true)', 'claim-time': 'null::float8 as remaining_ms' },
    breaks: ['I-19', 'I-8', 'I-12'],
    shownBy: { fault: 'workers-stand-still', seconds: 25, times: 6 },
  },
  {
    name: 'deadline-from-the-receipt',
    tells: 'The deadline of a HIGH payment runs from its receipt, not from its acceptance.',
    lines: { deadline: '? Date.now() + destination.maxExecutionSeconds * 1_000' },
    breaks: ['R:TIM-1'],
  },
  {
    name: 'no-delay-between-attempts',
    tells: 'A failed delivery is repeated at once, again and again.',
    lines: { 'next-attempt': 'const inMs = 1;' },
    breaks: ['I-12'],
    shownBy: { fault: 'source-fails', seconds: 15 },
  },
  {
    name: 'no-notification',
    tells: 'The FX provider is not told of a credited payment.',
    lines: { notification: "const notification = change.tells.includes('answer')" },
    breaks: ['I-5'],
  },
  {
    name: 'no-confirmation',
    tells: 'A destination that reported in its HTTP answer gets no confirmation.',
    lines: { confirmation: "const sendsConfirmation = cause.by !== 'destination';" },
    breaks: ['R:PAY-9', 'I-17', 'I-20'], // the sweep sends the confirmation later
  },
  {
    name: 'any-answer-is-a-receipt',
    tells: 'A message counts as taken whatever its receiver answers, a 503 too.',
    lines: { receipt: 'isReceipt: (status: number) => status >= 200,' },
    breaks: ['I-3', 'I-17', 'I-5'],
    shownBy: { fault: 'source-fails', seconds: 15 },
  },
  {
    name: 'amount-rounded-down',
    tells: 'Conversions round down instead of half up.',
    lines: {
      conversion:
        'return { source, destination: divideRoundedDownTo(source.times(rate), one, destinationDecimalPlaces) };',
    },
    breaks: ['R:QUO-3'],
  },
  {
    name: 'source-amount-forwarded',
    tells: 'The destination is sent the source amount.',
    lines: {
      'settlement-amount':
        "['IntrBkSttlmAmt', transaction.children.find((one) => one.name === 'IntrBkSttlmAmt')],",
    },
    breaks: ['I-11', 'I-9'],
  },
  {
    name: 'freshness-not-checked',
    tells: 'A payment that was accepted by its PSP too long ago is taken.',
    lines: { 'acceptance-age': 'const isTooOld = (at: number) => at - acceptanceAt > maxAgeMs * 1_000;' },
    breaks: ['R:MSG-3'],
  },
  {
    name: 'sweep-finds-nothing',
    tells: 'Payments without an execution are not looked for.',
    lines: {
      'swept-kinds': "if (kind === 'payments') { limits.pass.through.add(kind); continue; }",
    },
    breaks: ['I-15', 'I-1'],
    shownBy: { fault: 'executions-terminated', seconds: 15 },
  },
  {
    name: 'repeat-changes-the-instruction',
    tells: 'A send after the first has other bytes.',
    lines: {
      'sent-bytes':
        "return way.admission.post(way.url, attempt.attempt === 1 ? body : Buffer.concat([body, Buffer.from('\\n')]), headers, limitsOf(policy, until));",
    },
    breaks: ['I-2', 'I-11', 'I-3'],
    shownBy: { fault: 'destination-answers-are-lost', seconds: 15 },
  },
  {
    name: 'contradiction-without-alert',
    tells: 'Nobody is told that a destination contradicts itself.',
    lines: { contradiction: '' },
    breaks: ['R:PAY-7'],
  },
  {
    name: 'old-address-kept',
    tells: 'A worker goes on sending to an address that was withdrawn.',
    lines: {
      'registered-address':
        'const seen = ((globalThis as { seen?: Map<string, string | undefined> }).seen ??= new Map()); const known = `${kind} ${delivery.party}`; const registered = seen.get(known) ?? registeredAddress(data, delivery); seen.set(known, registered);',
    },
    breaks: ['I-7'],
    shownBy: { fault: 'destination-moves', seconds: 30 },
  },
  {
    name: 'names-in-the-log',
    tells: 'The api logs what it was sent.',
    lines: {
      'taken-message':
        "process.stdout.write(`${JSON.stringify({ msg: 'taken', body: body.toString('utf8') })}\\n`); message.parsed.dispose();",
    },
    breaks: ['I-14'],
  },
  {
    name: 'another-id-each-time',
    tells: 'Each attempt of a delivery goes under an id of its own.',
    lines: { 'delivery-id': '...signer.headersOf({ id: crypto.randomUUID(), body }),' },
    breaks: ['R:CBK-1'],
  },
  {
    name: 'breaker-never-closes',
    tells: 'A breaker that has opened lets nothing through again.',
    lines: {
      breaker: 'receiver.open = { waitMs: firstProbeMs, probeAt: Infinity, probe: undefined };',
    },
    breaks: ['I-15', 'I-17'],
    shownBy: { fault: 'source-refuses', seconds: 20 },
  },
  {
    name: 'gate-by-host',
    tells: 'Receivers of one host share a breaker: who is dead stops those who are well.',
    lines: {
      gate: 'return { receiver: new URL(registered).hostname, url: isWhole ? registered : join(deps, registered, kind) };',
    },
    breaks: ['R:CBK-3'],
    shownBy: { fault: 'destination-is-silent', seconds: 60, target: 'destination/IPSO-TH' },
  },
  {
    name: 'rates-of-others-ended',
    tells: 'A new rate ends those of all FX providers of its corridor.',
    lines: { 'ended-rates': '' },
    breaks: ['R:FX-4'],
  },
  {
    name: 'record-shows-no-final',
    tells: 'The record of a payment is shown as accepted, however it ended.',
    lines: { 'shown-status': 'status: open,' },
    breaks: ['I-4'],
  },
  {
    name: 'in-doubt-at-once',
    tells: 'A payment is called in doubt with its first enquiry.',
    lines: {
      enquiry: 'send(); await progress.inTurn(() => reportInDoubt({ uetr: progress.input.uetr }));',
    },
    breaks: ['R:TIM-2'],
  },
  {
    name: 'refused-answers-untold',
    tells: 'A destination answers with what does not count, and nobody is told.',
    lines: {
      'refused-message':
        "if (!kind.endsWith('.answer-refused')) await insertAudit(event, isWithin).execute(db);",
    },
    breaks: ['R:PAY-8'],
    shownBy: { fault: 'destination-answers-garbage', seconds: 25 },
  },
  {
    name: 'repeat-waits-for-the-engine',
    tells: 'A repeat of a judged submission is answered only once the engine has been told of it.',
    lines: {
      'known-answer':
        ': (await iso.workflows.redeliver(uetr), answerKnown(deps, iso, known, { uetr, sourceSystem, messageId }));',
    },
    breaks: ['R:DUP-1'],
    shownBy: { fault: 'engine-stands-still', seconds: 60 },
  },
];

/** @throws UsageError that lists all names */
export function mutantNamed(name: string): Mutant {
  const found = mutants.find((one) => one.name === name);
  if (found !== undefined) return found;
  throw new UsageError(
    `There is no mistake ${name}. They are: ${mutants.map((one) => one.name).join(', ')}.`,
  );
}
