// The parts of the gateway's answers that `isthmus ops` shows. --json prints the answer unchanged.
import { z } from 'zod';
import { read } from '../gateway.ts';

const money = z.object({ amount: z.string(), currency: z.string() }).nullable();

const payment = z.object({
  uetr: z.string(),
  status: z.string(),
  state: z.string(),
  reasonCode: z.string().nullable(),
  decidedBy: z.string().nullable(),
  isContradicted: z.boolean(),
  corridor: z.string().nullable(),
  sourceClearingSystem: z.string(),
  priority: z.string().nullable(),
  sourceAmount: money,
  destinationAmount: money,
  creditorAccountAmount: money,
  debtorAgent: z.string().nullable(),
  creditorAgent: z.string().nullable(),
  fxp: z.string().nullable(),
  endToEndId: z.string().nullable(),
  judgedAt: z.string(),
  decidedAt: z.string().nullable(),
});
export type ShownPayment = z.infer<typeof payment>;
export const paymentPage = z.object({ payments: z.array(payment), next: z.string().nullable() });

const submission = z.object({
  message: z.string(),
  messageIdentification: z.string(),
  subjectId: z.string(),
  party: z.string(),
  storedAt: z.string(),
  state: z.string(),
  status: z.string().nullable(),
  verified: z.boolean().nullable(),
  reasonCode: z.string().nullable(),
  answeredAt: z.string().nullable(),
  isUnanswerable: z.boolean(),
});
export type ShownSubmission = z.infer<typeof submission>;
export const submissionPage = z.object({ submissions: z.array(submission), next: z.string().nullable() });

/** One payment of a page, and its exact JSON text. */
export interface ListedPayment {
  readonly payment: ShownPayment;
  readonly text: string;
}

/** Reads a page of payments, with the JSON text of each. */
export function readPayments(text: string): {
  readonly payments: readonly ListedPayment[];
  readonly next: string | null;
} {
  const { payments, next } = read(paymentPage, text);
  const texts = itemsOf(text);
  return { payments: payments.map((payment, index) => ({ payment, text: texts[index] ?? '' })), next };
}

/** The JSON text of each object in the list of a page: `{"payments":[{...},{...}],...}`. */
function itemsOf(page: string): readonly string[] {
  const items: string[] = [];
  let depth = 0;
  let begin = 0;
  for (const { 0: token, index } of page.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}]/g)) {
    if (token === '{' || token === '[') {
      depth += 1;
      if (depth === 3) begin = index;
    } else if (token === '}' || token === ']') {
      if (depth === 3) items.push(page.slice(begin, index + 1));
      depth -= 1;
    }
  }
  return items;
}

const alert = z.object({
  alertId: z.string(),
  at: z.string(),
  severity: z.string(),
  kind: z.string(),
  subjectId: z.string().nullable(),
  party: z.string().nullable(),
  detail: z.record(z.string(), z.unknown()),
  state: z.string(),
  takenBy: z.string().nullable(),
  closedBy: z.string().nullish(), // the previous version of the gateway does not send it
});
export type ShownAlert = z.infer<typeof alert>;
export const alertPage = z.object({ alerts: z.array(alert), next: z.string().nullable() });

const entry = z.object({
  alertId: z.string().nullable(),
  alerts: z.array(z.object({ alertId: z.string(), kind: z.string() })),
  action: z.string(),
  by: z.string(),
  note: z.string().nullable(),
  alertCount: z.string(),
  at: z.string(),
});
export type ShownEntry = z.infer<typeof entry>;
export const entryList = z.array(entry);
export const alertWithEntries = alert.extend({ entries: entryList });

const attempt = z.object({
  attempt: z.string(),
  startedAt: z.string(),
  outcome: z.string().nullable(),
  httpStatus: z.string().nullable(),
  durationMs: z.string().nullable(),
  errorClass: z.string().nullable(),
  url: z.string().nullable(),
  responseExcerpt: z.string().nullable(),
});
const delivery = z.object({
  kind: z.string(),
  party: z.string(),
  nextDueAt: z.string().nullable(),
  deliveredAt: z.string().nullable(),
  closedAt: z.string().nullable(),
  closedReason: z.string().nullable(),
  attempts: z.array(attempt),
  attemptsLeftOut: z.array(z.object({ outcome: z.string().nullable(), number: z.string() })),
});
export type ShownDelivery = z.infer<typeof delivery>;
export const outcome = z.object({
  outcomeId: z.string(),
  status: z.string(),
  reasonCode: z.string().nullable(),
  evidence: z.string(),
  recordedBy: z.string(),
  recordedAt: z.string(),
  confirmedBy: z.string().nullable(),
  confirmedAt: z.string().nullable(),
  withdrawnBy: z.string().nullable(),
  withdrawnAt: z.string().nullable(),
  withdrawnBecause: z.string().nullable(),
});
export type ShownOutcome = z.infer<typeof outcome>;
export const outcomes = z.array(outcome);
export const settling = z.object({
  decision: z
    .object({
      status: z.string(),
      reasonCode: z.string().nullable(),
      decidedBy: z.enum(['destination', 'gateway', 'operator']),
    })
    .nullable(),
});

// `number` is present if there are several
const held = z.object({ kind: z.string(), party: z.string(), number: z.string().optional() });
const hindrances = z.object({
  engineAnswers: z.boolean(),
  workers: z.string(),
  workerHeardSecondsAgo: z.string().nullable(),
  heldUp: z.array(held.extend({ breakersOpen: z.string(), gatesFull: z.string() })),
  noUsableAddress: z.array(held),
});
export type ShownHindrances = z.infer<typeof hindrances>;

export const evidence = z.object({
  uetr: z.string(),
  status: z.string(),
  sourceClearingSystem: z.string(),
  destinationClearingSystem: z.string().nullable(),
  priority: z.string().nullable(),
  waitsFor: z.object({ what: z.string(), at: z.string().nullable() }).nullable(),
  hindrances: hindrances.nullable(),
  messages: z.array(
    z.object({
      messageId: z.string(),
      message: z.string(),
      messageIdentification: z.string(),
      direction: z.string(),
      party: z.string(),
      at: z.string(),
      status: z.string().nullable(),
      reasonCode: z.string().nullable(),
      inReplyTo: z.string().nullable(),
      isChanged: z.boolean(),
    }),
  ),
  messagesLeftOut: z.array(
    z.object({
      message: z.string(),
      direction: z.string(),
      party: z.string(),
      status: z.string().nullable(),
      number: z.string(),
    }),
  ),
  decision: z
    .object({
      status: z.string(),
      reasonCode: z.string().nullable(),
      decidedBy: z.string(),
      ruleId: z.string().nullable(),
      decidedAt: z.string(),
    })
    .nullable(),
  deliveries: z.array(delivery),
  events: z.array(
    z.object({
      at: z.string(),
      severity: z.string(),
      kind: z.string(),
      party: z.string().nullable(),
      detail: z.record(z.string(), z.unknown()),
    }),
  ),
  eventsLeftOut: z.array(z.object({ kind: z.string(), severity: z.string(), number: z.string() })),
  entries: entryList,
  outcomes: z.array(outcome),
  refusedMessages: z.array(
    z.object({
      messageId: z.string(),
      party: z.string(),
      at: z.string(),
      size: z.string(),
      refusedAs: z.string(),
      fault: z.record(z.string(), z.string().nullable()),
    }),
  ),
});
export type ShownEvidence = z.infer<typeof evidence>;

export const redelivery = z.object({ kinds: z.array(z.string()), hindrances });
export const redeliveries = z.object({
  redelivered: z.string(),
  total: z.string(),
  deadLetters: z.array(
    z.object({
      subjectId: z.string(),
      kind: z.string(),
      party: z.string(),
      closedReason: z.string(),
      closedAt: z.string(),
      bookPage: z.object({ book: z.string(), day: z.string(), page: z.string() }).nullable(),
    }),
  ),
  hindrances,
});
const partyKind = z.object({
  kind: z.string(),
  state: z.enum(['well', 'failing', 'down']),
  attempts: z.string(),
  taken: z.string(),
  lastTakenAt: z.string().nullable(),
  p95Ms: z.string().nullable(),
  failures: z.record(z.string(), z.string()),
  open: z.string(),
  dead: z.string(),
});
const party = z.object({
  party: z.string(),
  kinds: z.array(partyKind),
  waiting: z.string(),
  oldestWaitingSince: z.string().nullable(),
  refused: z.string(),
  refusedOf: z.array(z.object({ subjectId: z.string(), about: z.string(), messages: z.string() })),
});
const pause = z.object({ party: z.string(), by: z.string(), at: z.string(), because: z.string() });
export const pauses = z.array(pause);
const recordedPause = pause.extend({
  resumedBy: z.string().nullable(),
  resumedAt: z.string().nullable(),
  resumedBecause: z.string().nullable(),
});
export type ShownPause = z.infer<typeof recordedPause>;
export const recordedPauses = z.array(recordedPause);
export const parties = z.object({
  minutes: z.string(),
  engineAnswers: z.boolean(),
  workers: z.string(),
  workerHeardSecondsAgo: z.string().nullable(),
  codeSets: z.object({ edition: z.string(), published: z.string() }),
  paused: pauses,
  parties: z.array(party),
  receivers: z.array(
    z.object({
      receiver: z.string(),
      parties: z.array(z.string()),
      open: z.string(),
      probing: z.string(),
      closed: z.string(),
      failuresInARow: z.string(),
    }),
  ),
});
export type ShownParties = z.infer<typeof parties>;

const sentBook = z.object({
  book: z.string(),
  party: z.string(),
  pages: z.string().nullable(),
  made: z.string(),
  taken: z.string(),
  deadPages: z.array(z.object({ page: z.string(), subjectId: z.string() })),
  nextDueAt: z.string().nullable(),
});
export type ShownBook = z.infer<typeof sentBook>;
export const sentBooks = z.array(sentBook);

export const enquiry = z.object({ asked: z.boolean(), hindrances });
