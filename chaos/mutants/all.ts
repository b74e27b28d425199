// Known mistakes, each of which has lost, doubled or belied a payment somewhere. A test holds each against the code as
// it is; the command plays them one by one.
import { UsageError } from '../../cli/errors.ts';
import { furtherMutants } from './further.ts';
import { toldMutants } from './told.ts';
import type { Mutant } from './mutant.ts';

const closedToSends = 'd.closed_at is null and (remaining_ms is null or remaining_ms > 0)';

export const mutants: readonly Mutant[] = [
  {
    name: 'no-intent-row',
    tells: 'No attempt is on record before the socket opens.',
    edits: [
      {
        file: 'db/deliveries/deliveries.ts',
        find: 'insert into delivery_attempts (delivery_id, attempt, begun_at) select delivery_id, attempts, begun_at from claimed\n',
        replace:
          'insert into delivery_attempts (delivery_id, attempt, begun_at) select delivery_id, attempts, begun_at from claimed where false\n',
      },
    ],
    breaks: ['I-17', 'I-12'],
  },
  {
    name: 'quote-used-twice',
    tells: 'A quote may carry two payments: its use is not unique.',
    edits: [
      {
        file: 'db/payments/payments.ts',
        find: 'select ${quoteId}::uuid, ${uetr}::uuid from claim where ${quoteId}::uuid is not null\n      on conflict do nothing\n      returning quote_id',
        replace:
          'select ${quoteId}::uuid, ${uetr}::uuid from claim where ${quoteId}::uuid is not null\n      on conflict (quote_id) do update set uetr = excluded.uetr\n      returning quote_id',
      },
      {
        file: 'core/payments/bind-payment.ts',
        find: 'quote.heldBy === null || quote.heldBy === message.uetr ?',
        replace: 'quote.heldBy === null || quote.heldBy !== message.uetr ?',
      },
    ],
    breaks: ['I-6', 'R:PAY-4', 'R:MSG-3'],
  },
  {
    name: 'norm-rejected-on-timeout',
    tells: 'A NORM payment is rejected when its destination does not answer, though bytes have left.',
    edits: [
      {
        file: 'db/payments/decisions.ts',
        find: '(possibly_sent = 0 and ${wasTried}',
        replace: '(${wasTried}',
      },
    ],
    breaks: ['I-4', 'R:TIM-3', 'I-8', 'R:TIM-2'],
    shownBy: { fault: 'destination-never-answers', seconds: 75 },
  },
  {
    name: 'stored-final-not-looked-at',
    tells: 'A final that is stored does not decide, if the gateway comes first.',
    edits: [
      {
        file: 'db/payments/decisions.ts',
        find: 'and (final_report_id is null or final_report_id = ',
        replace: 'and (true or final_report_id = ',
      },
      {
        file: 'core/payments/decision.ts',
        find: 'const final = firstFinal ?? (',
        replace: 'const final = (firstFinal?.messageId === "" ? firstFinal : null) ?? (',
      },
    ],
    breaks: ['I-18', 'I-4'],
    shownBy: { fault: 'engine-stands-still', seconds: 28, times: 8 },
  },
  {
    name: 'sent-after-the-deadline',
    tells: 'A HIGH instruction leaves although its deadline is past or it is decided.',
    edits: [
      { file: 'db/deliveries/deliveries.ts', find: closedToSends, replace: 'true' },
      {
        file: 'db/deliveries/deliveries.ts',
        find: 'case when d.closed_at is null then remaining_ms else 0 end as remaining_ms',
        replace: 'null::float8 as remaining_ms',
      },
    ],
    breaks: ['I-19', 'I-8', 'I-12'],
    shownBy: { fault: 'workers-stand-still', seconds: 25 },
  },
  {
    name: 'deadline-late',
    tells: 'The deadline of a HIGH payment is five seconds late.',
    edits: [
      {
        file: 'core/payments/decision.ts',
        find: 'return Math.max(0, deadlineAt - now);',
        replace: 'return Math.max(0, deadlineAt + 5_000 - now);',
      },
      {
        file: 'db/payments/decisions.ts',
        find: 'is false or clock_timestamp() >= (',
        replace: `is false or clock_timestamp() - interval '5 seconds' >= (`,
      },
    ],
    breaks: ['R:TIM-1'],
  },
  {
    name: 'no-delay-between-attempts',
    tells: 'A failed delivery is repeated at once, again and again.',
    edits: [
      {
        file: 'core/deliveries/delivery-schedule.ts',
        find: 'const inMs = Math.max(variedMs, ',
        replace: 'const inMs = Math.max(Math.min(variedMs, 1), ',
      },
    ],
    breaks: ['I-12'],
    shownBy: { fault: 'source-fails', seconds: 15 },
  },
  {
    name: 'retry-after-ignored',
    tells: 'What a receiver says with Retry-After is not heard.',
    edits: [
      {
        file: 'core/deliveries/delivery-schedule.ts',
        find: 'Math.min(failed.retryAfterMs ?? 0, 8 * hour)',
        replace: '0',
      },
    ],
    breaks: ['I-12'],
    shownBy: { fault: 'source-fails-for-now', seconds: 20 },
  },
  {
    name: 'no-notification',
    tells: 'The FX provider is not told of a credited payment.',
    edits: [
      {
        file: 'activities/payments/decide-payment.ts',
        find: "const notification = change.tells.includes('notification')",
        replace: "const notification = change.tells.includes('answer')",
      },
    ],
    breaks: ['I-5'],
  },
  {
    name: 'no-confirmation',
    tells: 'A destination that reported in its HTTP answer gets no confirmation.',
    edits: [
      {
        file: 'core/payments/decision.ts',
        find: "const sendsConfirmation = cause.by !== 'destination' || cause.wantsConfirmation;",
        replace: "const sendsConfirmation = cause.by !== 'destination';",
      },
    ],
    breaks: ['R:PAY-9', 'I-17', 'I-20'], // the sweep makes up for it
  },
  {
    name: 'any-answer-is-a-receipt',
    tells: 'A message counts as taken whatever its receiver answers, a 503 too.',
    edits: [
      {
        file: 'activities/deliveries/send-policies.ts',
        find: 'isReceipt: isSuccess,',
        replace: 'isReceipt: (status: number) => status >= 200,',
      },
    ],
    breaks: ['I-3', 'I-17', 'I-5'],
    shownBy: { fault: 'source-fails', seconds: 15 },
  },
  {
    name: 'amount-rounded-down',
    tells: 'Conversions round down instead of half up.',
    edits: [
      {
        file: 'core/money/fee.ts',
        find: 'destination: roundHalfUpTo(source.times(rate), destinationDecimalPlaces)',
        replace: 'destination: divideRoundedDownTo(source.times(rate), one, destinationDecimalPlaces)',
      },
    ],
    breaks: ['R:FEE-3', 'R:QUO-3', 'R:QUO-7', 'R:MON-3'],
  },
  {
    name: 'fee-a-unit-too-much',
    tells: 'Every fee is one unit of the currency too much.',
    edits: [
      {
        file: 'core/money/fee.ts',
        find: 'return roundHalfUpTo(fee.nominal.plus(fee.ratio.times(settlement)), fee.decimalPlaces);',
        replace:
          'return roundHalfUpTo(fee.nominal.plus(fee.ratio.times(settlement)).plus(unitOf(fee.decimalPlaces)), fee.decimalPlaces);',
      },
    ],
    breaks: ['R:FEE-2', 'R:QUO-3', 'R:QUO-7', 'R:MSG-3', 'R:PAY-4'],
  },
  {
    name: 'source-amount-forwarded',
    tells: 'The destination is sent the source amount.',
    edits: [
      {
        file: 'core/iso20022/build-pacs008.ts',
        find: "['IntrBkSttlmAmt', buildAmount('IntrBkSttlmAmt', leg.interbankSettlementAmount)],",
        replace: "['IntrBkSttlmAmt', transaction.children.find((one) => one.name === 'IntrBkSttlmAmt')],",
      },
    ],
    breaks: ['I-11', 'I-9'],
  },
  {
    name: 'remittance-dropped',
    tells: 'Remittance information does not reach the destination.',
    edits: [
      {
        file: 'core/iso20022/build-pacs008.ts',
        find: "  'RgltryRptg',\n  'RmtInf',\n];",
        replace: "  'RgltryRptg',\n];",
      },
    ],
    breaks: ['I-11'],
  },
  {
    name: 'agents-not-swapped',
    tells: 'A pacs.002 names the agents in the order of the instruction.',
    edits: [
      {
        file: 'core/iso20022/pacs002.ts',
        find: '      instructingAgent: instructedAgent,\n      instructedAgent: instructingAgent,',
        replace: '      instructingAgent,\n      instructedAgent,',
      },
    ],
    breaks: ['I-11'],
  },
  {
    name: 'freshness-not-checked',
    tells: 'A payment that was accepted by its PSP too long ago is taken.',
    edits: [
      {
        file: 'core/payments/payment-checks.ts',
        find: 'const isTooOld = (at: number) => at - acceptanceAt > maxAgeMs;',
        replace: 'const isTooOld = (at: number) => at - acceptanceAt > maxAgeMs * 1_000;',
      },
    ],
    breaks: ['R:MSG-3', 'R:TIM-4'],
  },
  {
    name: 'foreign-quote-taken',
    tells: 'A PSP may pay with the quote of another.',
    edits: [
      {
        file: 'core/payments/bind-payment.ts',
        find: "if (quote.pspId !== parties.debtorAgent.institutionId) return reject('quote-foreign');",
        replace: '',
      },
    ],
    breaks: ['I-6', 'R:MSG-3', 'R:PAY-4'],
  },
  {
    name: 'rate-not-compared',
    tells: 'The rate of a message need not be that of its quote.',
    edits: [
      {
        file: 'core/payments/bind-payment.ts',
        find: 'if (!exact(agreedRate.preAgreedExchangeRate).eq(exact(quote.exchangeRate))) {',
        replace: 'if (exact(agreedRate.preAgreedExchangeRate).isZero()) {',
      },
    ],
    breaks: ['R:MSG-3', 'R:PAY-4'],
  },
  {
    name: 'sweep-finds-nothing',
    tells: 'Payments without an execution are not looked for.',
    edits: [
      {
        file: 'activities/sweep/one-sweep.ts',
        find: 'for (const kind of kinds) {',
        replace:
          "for (const kind of kinds.filter((one) => one !== 'payments')) {\n    limits.pass.through.add('payments');",
      },
    ],
    breaks: ['I-15', 'I-1'],
    shownBy: { fault: 'executions-terminated', seconds: 15 },
  },
  {
    name: 'repeat-changes-the-instruction',
    tells: 'A send after the first has other bytes.',
    edits: [
      {
        file: 'activities/deliveries/send.ts',
        find: 'return way.admission.post(way.url, body, headers, limitsOf(policy, until));',
        replace:
          "const other = attempt.attempt === 1 ? body : Buffer.concat([body, Buffer.from('\\n')]);\n  return way.admission.post(way.url, other, headers, limitsOf(policy, until));",
      },
    ],
    breaks: ['I-2', 'I-11', 'I-3'],
    shownBy: { fault: 'destination-answers-are-lost', seconds: 15 },
  },
  {
    name: 'second-final-overwrites',
    tells: 'A later, different final replaces the decision.',
    edits: [
      {
        file: 'db/payments/reports.ts',
        find: '  // last: while it is missing, the sweep comes back to this report (LIF-2)',
        replace:
          "  await db.updateTable('decisions').set({ status: report.status as Decision['status'] }).where('uetr', '=', payment.uetr).execute();",
      },
      {
        file: 'db/migrations/baseline/triggers.ts', // the database would refuse it (LIF-1)
        find: "  'decisions',\n",
        replace: '',
      },
    ],
    breaks: ['I-8', 'I-4', 'R:PAY-7', 'R:PAY-9'],
  },
  {
    name: 'contradiction-without-alert',
    tells: 'Nobody is told that a destination contradicts itself.',
    edits: [
      {
        file: 'db/payments/reports.ts',
        find: 'if (isContradiction) await recordContradiction(db, payment, report);',
        replace: 'if (report.status === payment.uetr) await recordContradiction(db, payment, report);',
      },
    ],
    breaks: ['R:PAY-7'],
  },
  {
    name: 'old-address-kept',
    tells: 'A worker goes on sending to an address that was withdrawn.',
    edits: [
      {
        file: 'activities/deliveries/addresses.ts',
        find: '  const registered = registeredAddress(data, delivery);',
        replace:
          '  const known = `${delivery.kind} ${delivery.party}`;\n  const registered = firstSeen.get(known) ?? registeredAddress(data, delivery);\n  if (registered !== undefined) firstSeen.set(known, registered);',
      },
      {
        file: 'activities/deliveries/addresses.ts',
        find: '/** What says where a message goes. */',
        replace: 'const firstSeen = new Map<string, string>();\n\n/** What says where a message goes. */',
      },
    ],
    breaks: ['I-7'],
    shownBy: { fault: 'destination-moves', seconds: 30 },
  },
  {
    name: 'names-in-the-log',
    tells: 'The api logs what it was sent.',
    edits: [
      {
        file: 'api/payments/iso20022.ts',
        find: '  message.parsed.dispose(); // the tree outlives the document',
        replace:
          "  process.stdout.write(`${JSON.stringify({ msg: 'taken', body: body.toString('utf8') })}\\n`);\n  message.parsed.dispose();",
      },
    ],
    breaks: ['I-14'],
  },
  {
    name: 'source-not-told',
    tells: 'A decision asks for no callback: the source never hears how its payment ended.',
    edits: [
      {
        file: 'db/payments/decisions.ts',
        find: "where kind <> 'confirmation' or possibly_sent > 0",
        replace: "where kind = 'confirmation' and possibly_sent > 0",
      },
    ],
    breaks: ['I-3', 'I-5'],
  },
  ...furtherMutants,
  ...toldMutants,
];

/** @throws UsageError, with all names */
export function mutantNamed(name: string): Mutant {
  const found = mutants.find((one) => one.name === name);
  if (found !== undefined) return found;
  throw new UsageError(
    `There is no mistake ${name}. They are: ${mutants.map((one) => one.name).join(', ')}.`,
  );
}
