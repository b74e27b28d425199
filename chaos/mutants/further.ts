// More known mistakes: in what is answered, shown, told again and waited for. They belong to the list of all.ts.
import type { Mutant } from './mutant.ts';

export const furtherMutants: readonly Mutant[] = [
  {
    name: 'expired-quote-taken',
    tells: 'A quote may be paid with for two hours.',
    edits: [
      {
        file: 'db/quotes/quotes.ts',
        find: "issued_at + interval '600 seconds' as expired",
        replace: "issued_at + interval '7200 seconds' as expired",
      },
    ],
    breaks: ['I-6', 'R:PAY-4'],
  },
  {
    name: 'deadline-from-the-receipt',
    tells: 'The deadline of a HIGH payment runs from its receipt, not from its acceptance.',
    edits: [
      {
        file: 'core/payments/payment-checks.ts',
        find: '    ? message.acceptanceDateTime.epochMs + destination.maxExecutionSeconds * 1_000',
        replace: '    ? Date.now() + destination.maxExecutionSeconds * 1_000',
      },
    ],
    breaks: ['R:TIM-1'],
  },
  {
    name: 'wait-ignored',
    tells: 'Who prefers to wait for the final is answered at once.',
    edits: [
      {
        file: 'api/payments/iso20022.ts',
        find: 'const waitsUntil = performance.now() + (waitSeconds ?? 0) * 1_000;',
        replace: 'const waitsUntil = performance.now();',
      },
    ],
    breaks: ['R:PAY-1'],
  },
  {
    name: 'final-not-told-again',
    tells: 'A source that asks again has the final in the answer only.',
    edits: [
      {
        file: 'db/payments/submissions.ts',
        find: 'const isDue = await askCallbackAgain(db, uetr, mayAsk);',
        replace: 'const isDue = !mayAsk;',
      },
    ],
    breaks: ['R:DUP-1'],
  },
  {
    name: 'another-id-each-time',
    tells: 'Each attempt of a delivery goes under an id of its own.',
    edits: [
      {
        file: 'activities/deliveries/send.ts',
        find: 'signer.headersOf({ id, body }',
        replace: 'signer.headersOf({ id: randomUUID(), body }',
      },
    ],
    breaks: ['R:CBK-1'],
  },
  {
    name: 'not-found-is-a-receipt',
    tells: 'A message counts as taken when its receiver answers 404 or redirects.',
    edits: [
      {
        file: 'activities/deliveries/send-policies.ts',
        find: 'isReceipt: isSuccess,',
        replace: 'isReceipt: (status: number) => status >= 200 && status < 500,',
      },
    ],
    breaks: ['I-3', 'I-5', 'I-17'],
  },
  {
    name: 'breaker-never-closes',
    tells: 'A breaker that has opened lets nothing through again.',
    edits: [
      {
        file: 'activities/wire/receiver-gate.ts',
        find: 'receiver.open = { waitMs: firstProbeMs, probeAt: now + firstProbeMs, probe: undefined };',
        replace:
          'receiver.open = { waitMs: firstProbeMs, probeAt: now + firstProbeMs * 1_000, probe: undefined };',
      },
    ],
    breaks: ['R:CBK-3', 'I-15', 'I-17'],
    shownBy: { fault: 'source-refuses', seconds: 20 },
  },
  {
    name: 'gate-by-host',
    tells: 'Receivers of one host share a breaker: who is dead stops those who are well.',
    edits: [
      {
        file: 'activities/deliveries/addresses.ts',
        find: 'receiver: registered,',
        replace: 'receiver: new URL(registered).hostname,',
      },
    ],
    breaks: ['R:CBK-3'],
    shownBy: { fault: 'destination-is-silent', seconds: 60, target: 'destination/IPSO-TH' },
  },
  {
    name: 'gone-is-asked-again',
    tells: 'What a receiver will never take is sent again and again.',
    edits: [
      {
        file: 'core/deliveries/delivery-schedule.ts',
        find: "if (failed.httpStatus === 410) return { kind: 'closed', reason: 'gone' };",
        replace: '',
      },
    ],
    breaks: ['I-12'],
  },
  {
    name: 'directory-alone-believed',
    tells: 'The account that a directory found is not confirmed by its creditor agent.',
    edits: [
      {
        file: 'core/resolutions/resolution.ts',
        find: 'if (!institution.supportsAcmt023 || !isKnown) return ok(null);',
        replace: 'if (institution.onboarded || !isKnown) return ok(null);',
      },
    ],
    breaks: ['R:RES-2'],
  },
  {
    name: 'instruction-sent-once',
    tells: 'An instruction that failed waits for its enquiry.',
    edits: [
      {
        file: 'core/deliveries/delivery-schedule.ts',
        find: 'return retryDelaysMs[sends - 1];',
        replace: 'return sends < 0 ? retryDelaysMs[0] : undefined;',
      },
    ],
    breaks: ['R:TIM-3'],
  },
  {
    name: 'rates-of-others-ended',
    tells: 'A new rate ends those of all FX providers of its corridor.',
    edits: [
      {
        file: 'db/quotes/rates.ts',
        find: ".where('fxp_id', '=', rate.fxpId)\n    .where('source_country', '=', rate.sourceCountry)",
        replace: ".where('source_country', '=', rate.sourceCountry)",
      },
    ],
    breaks: ['R:FX-4'],
  },
  {
    name: 'record-shows-no-final',
    tells: 'The record of a payment is shown as accepted, however it ended.',
    edits: [
      {
        file: 'api/payments/render-evidence.ts',
        find: 'status: decision?.status ?? open,',
        replace: 'status: open,',
      },
    ],
    breaks: ['I-4'],
  },
  {
    name: 'stranger-may-report',
    tells: 'Any operator may report how a payment ended.',
    edits: [
      {
        file: 'api/payments/iso20022.ts',
        find: "return caller.role === 'all' || caller.clearingSystemId === destinationSystem;",
        replace: "return caller.role !== 'psp' || destinationSystem === '';",
      },
    ],
    breaks: ['R:SEC-1'],
  },
  {
    name: 'unasked-answers-count',
    tells: 'Connections are kept for the next message: what came on one unasked is taken for its answer.',
    edits: [
      {
        file: 'activities/wire/connections.ts',
        find: "import { type ClientRequest, request } from 'node:http';",
        replace:
          "import { Agent, type ClientRequest, request } from 'node:http';\n\nconst kept = new Agent({ keepAlive: true, maxSockets: 1 });",
      },
      {
        file: 'activities/wire/connections.ts',
        find: 'createConnection: (_, callback) => {',
        replace: 'agent: kept,\n        createConnection: (_, callback) => {',
      },
      {
        file: 'activities/wire/exchange.ts',
        find: "if (socket.readableLength > 0) steps.end('not-http');\n    else if (steps.begin()) write();\n    if (!state.begun) abandon();",
        replace: 'setTimeout(() => { if (!state.ended && steps.begin()) write(); }, 900);',
      },
      {
        file: 'activities/wire/exchange.ts',
        find: '(RFC 9110, section 7.5)\n    if (state.isSent) steps.end(undefined);',
        replace: '(RFC 9110, section 7.5)\n    steps.end(undefined);',
      },
      {
        file: 'activities/wire/exchange.ts',
        find: 'if (head !== undefined && (isSent || !isSuccess(head.status))) {',
        replace: 'if (head !== undefined) {',
      },
    ],
    breaks: ['I-3', 'I-5', 'I-17'],
    shownBy: { fault: 'source-answers-unasked', seconds: 45, target: 'all' }, // one must wait behind another
  },
  {
    name: 'what-follows-an-answer-spoils-it',
    tells: 'A whole answer does not count if anything stands behind it.',
    edits: [
      {
        file: 'activities/wire/exchange.ts',
        find: 'if (state.answer?.complete) {',
        replace: 'if (Number.isNaN(state.bytes)) {',
      },
    ],
    breaks: ['I-4', 'I-18', 'R:PAY-8'],
    shownBy: { fault: 'destination-answers-twice', seconds: 30 },
  },
];
