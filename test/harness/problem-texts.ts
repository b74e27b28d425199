// Problems that take more than requests to one gateway: the test that causes each, and its whole text, which that test
// compares (MSG-13, SEC-4). All others: test/api/problems/problem-cases.ts.
import type { ProblemCode } from '../../api/http/problems/problems.ts';

export const problemTexts = {
  'fxp-not-named': {
    shownBy: 'test/api/auth/tokens.test.ts',
    told: 'With AUTH=none, say which FX provider you are: Authorization: Bearer <its BIC>.',
  },
  'unknown-fee-formula': {
    shownBy: 'test/api/quotes/fees.test.ts',
    told: 'There is no fee formula for PH and PHP; an operator of the scheme can enter one.',
  },
  'endpoint-untried': {
    shownBy: 'test/activities/deliveries/probe-endpoints.test.ts',
    told: 'http://<host>/iso20022/fxtr017: Nobody answered (refused). If it is right all the same, approve it with despiteProbes.',
  },
  'no-endpoint': {
    shownBy: 'test/api/operations/endpoint-trials.test.ts',
    told: 'You have no HTTP address to which a trial message could go. The operators of the scheme register one; queues are not tried.',
  },
  'deadline-past': {
    shownBy: 'test/api/operations/enquiry-past-deadline.test.ts',
    told: 'The gateway sends nothing for a HIGH payment after its deadline. It decides the payment now: GET /payments/{uetr} shows the final status.',
  },
  'message-not-kept': {
    shownBy: 'test/workflows/messages-not-kept.test.ts',
    told: 'The message is on record, but its bytes are no longer kept. GET /payments/{uetr} says what became of its payment.',
  },
  'message-changed': {
    shownBy: 'test/system/changed-messages.test.ts',
    told: 'The stored copy of the message fails its integrity check, so it is neither shown nor sent. The operators are alerted (message.changed) and can restore it: try again then. GET /payments/{uetr} says what became of its payment.',
  },
  'request-in-progress': {
    shownBy: 'test/api/quotes/rates.test.ts',
    told: 'The first request with this Idempotency-Key is still running; repeat it in a second to get its answer.',
  },
  'too-many-tiers': {
    shownBy: 'test/api/quotes/tier-limit.test.ts',
    told: 'An FX provider has at most 100 tier improvements in a currency. Change one of yours: the same threshold with other basis points, where 0 ends the tier.',
  },
  'request-timeout': {
    shownBy: 'test/api/http/connections.test.ts',
    told: 'The request did not arrive in time: its headers within 10 s, all of it within 30 s. Send it again, with a new signature if you sign your messages.',
  },
  'expectation-failed': {
    shownBy: 'test/api/problems/malformed.test.ts',
    told: 'Only Expect: 100-continue is supported; leave out any other expectation.',
  },
  'too-many-messages': {
    shownBy: 'test/api/limits/turns.test.ts',
    told: 'You send faster than can be processed. Nothing was stored: send this one again after the number of seconds in Retry-After.',
  },
  overloaded: {
    shownBy: 'test/api/limits/admission.test.ts',
    told: 'All payment systems together send faster than can be processed. Nothing was stored: send this one again after the number of seconds in Retry-After.',
  },
  'too-many-bytes': {
    shownBy: 'test/system/bytes-of-a-day.test.ts',
    told: 'Your payment system has used its quota of stored bytes for this day (UTC). Nothing was stored: send this one again after the number of seconds in Retry-After. Repeats of what was stored are answered.',
  },
  'callback-address-changed': {
    shownBy: 'test/faults/repeated-decisions.test.ts',
    told: 'Repeats have changed this callback address 100 times, which is the limit. The last address stands: send the message again with that one.',
  },
  'signature-refused': {
    shownBy: 'test/system/signed-by-parties.test.ts',
    told: 'The operator of this payment system has its messages signed, and this one is not. Sign each message anew, after RFC 9421: over "@method", "@path", "@query", "content-digest" (sha-256), with created, keyid and a nonce that is used once.',
  },
  'too-many-requests': {
    shownBy: 'test/api/limits/limits.test.ts',
    told: 'You have reached your limit of requests for this minute. Nothing was stored: send this one again after the number of seconds in Retry-After.',
  },
  'too-many-undecided': {
    shownBy: 'test/system/undecided-limit.test.ts',
    told: 'Your payment system has reached its limit of payments that wait for their final status. Nothing was stored: send this one again later. Enquiries about payments that were stored are answered.',
  },
  'too-many-connections': {
    shownBy: 'test/api/http/connections.test.ts',
    told: 'Your address has reached its limit of open connections. Reuse one of them, or close one and try again.',
  },
  internal: {
    shownBy: 'test/api/http/server.test.ts',
    told: 'An error on our side prevented the answer; it is in our log. Send the same request again. If that fails too, tell the operators of the scheme.',
  },
  unavailable: {
    shownBy: 'test/api/problems/database-away.test.ts',
    told: 'A part of the service does not answer. Try again.',
  },
} as const satisfies Partial<Record<ProblemCode, { readonly shownBy: string; readonly told: string }>>;

export type ShownElsewhere = keyof typeof problemTexts;

/** A text without what differs from run to run. */
export const withoutIds = (text: string) =>
  text
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<uuid>')
    .replaceAll(/20\d\d-\d\d-\d\dT[\d:.]+Z/g, '<time>')
    .replaceAll(/127\.0\.0\.1:\d+/g, '<host>')
    .replaceAll(/\((the last: )?\d+\)/g, '($1<id>)');
