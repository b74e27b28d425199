// All problems of the JSON API, in one table; problem.ts has their form on the wire. No text contains a
// stack, SQL, an internal address or a value of a payment.

import { operationsProblems, type ProblemRow } from './operations-problems.ts';

/** A text for the description of every `ruleId`. */
export const whereRulesAre = 'Its text and reason: `GET /rules/{ruleId}`';

export const problems = {
  'invalid-request': {
    status: 400,
    title: 'Invalid request',
    detail: 'The request is not well formed; see errors.',
  },
  'invalid-cursor': {
    status: 400,
    title: 'Invalid cursor',
    ruleId: 'REF-3',
    detail: 'The cursor is not one that this list returned. Leave it out to begin with the first page.',
  },
  unauthenticated: {
    status: 401,
    title: 'Authentication required',
    ruleId: 'SEC-1',
    detail: 'Send an access token: Authorization: Bearer <token>.',
  },
  'invalid-token': {
    status: 401,
    title: 'Invalid access token',
    ruleId: 'SEC-1',
    detail: 'The access token is not valid here.',
  },
  forbidden: {
    status: 403,
    title: 'Not allowed',
    ruleId: 'SEC-1',
    detail: 'Your role may not do this; the API reference says which role may.',
  },
  'not-own-institution': {
    status: 403,
    title: 'Not your institution',
    ruleId: 'QUO-1',
    detail: 'A PSP may only ask for quotes for itself.',
  },
  'fxp-not-named': {
    status: 403,
    title: 'No FX provider',
    ruleId: 'FX-2',
    detail: 'With AUTH=none, say which FX provider you are: Authorization: Bearer <its BIC>.',
  },
  'not-found': {
    status: 404,
    title: 'Not found',
    detail: 'There is nothing at this address; /reference lists every address.',
  },
  'unknown-rule': {
    status: 404,
    title: 'Unknown rule',
    detail: 'There is no such rule. GET /rules lists them all.',
  },
  'unknown-country': {
    status: 404,
    title: 'Unknown country',
    ruleId: 'REF-3',
    detail: 'The service does not know this country.',
  },
  'unknown-currency': {
    status: 404,
    title: 'Unknown currency',
    ruleId: 'REF-3',
    detail: 'The service does not know this currency.',
  },
  'currency-not-of-country': {
    status: 404,
    title: 'Not a currency of the country',
    ruleId: 'REF-3',
    detail: 'The country does not use this currency.',
  },
  'unknown-address-type': {
    status: 404,
    title: 'Unknown address type',
    ruleId: 'REF-3',
    detail: 'The service does not know this address type.',
  },
  'unknown-institution': {
    status: 404,
    title: 'Unknown institution',
    ruleId: 'REF-3',
    detail: 'The service does not know an institution by this identifier.',
  },
  'unknown-corridor': {
    status: 404,
    title: 'Unknown corridor',
    ruleId: 'REF-3',
    detail: 'The service does not link this source and destination.',
  },
  'unknown-fee-formula': {
    status: 404,
    title: 'Unknown fee formula',
    ruleId: 'REF-3',
    detail: 'There is no fee formula for this country and currency.',
  },
  'unknown-quote': {
    status: 404,
    title: 'Unknown quote',
    ruleId: 'QUO-9',
    detail: 'You have no quote with this id.',
  },
  ...operationsProblems,
  'message-refused': {
    status: 400,
    title: 'Message refused',
    ruleId: 'MSG-2',
    detail: 'The body is not a message that can be answered.',
  },
  'unknown-payment': {
    status: 404,
    title: 'Unknown payment',
    ruleId: 'PAY-8',
    detail: 'There is no payment with this UETR, or none that this caller may read or report on.',
  },
  'unknown-message': {
    status: 404,
    title: 'Unknown message',
    ruleId: 'SEC-1',
    detail: 'Your side of this payment has no message with this id.',
  },
  'message-not-kept': {
    status: 410,
    title: 'Message no longer kept',
    ruleId: 'LIF-6',
    detail:
      'The message is on record, but its bytes are no longer kept. GET /payments/{uetr} says what became of its payment.',
  },
  'message-changed': {
    status: 503,
    title: 'Message was changed',
    ruleId: 'SEC-3',
    retryAfter: 60,
    detail:
      'The stored copy of the message fails its integrity check, so it is neither shown nor sent. The operators are alerted (message.changed) and can restore it: try again then. GET /payments/{uetr} says what became of its payment.',
  },
  'not-the-destination': {
    status: 403,
    title: 'Not the destination of this payment',
    ruleId: 'PAY-8',
    detail: "Only the payment's destination operator may report on it.",
  },
  'original-ids-differ': {
    status: 409,
    title: 'Original ids differ',
    ruleId: 'PAY-8',
    detail: 'The original ids are not those of the pacs.008 that you got from us.',
  },
  'message-invalid': {
    status: 422,
    title: 'Message not valid',
    ruleId: 'MSG-4',
    detail: 'The message is not valid against its schema.',
  },
  'callback-address-refused': {
    status: 422,
    title: 'Callback address refused',
    ruleId: 'SEC-2',
    detail: 'The callback address is not allowed.',
  },
  'method-not-allowed': {
    status: 405,
    title: 'Method not allowed',
    detail: 'This method is not allowed at this address; see the Allow header.',
  },
  'request-in-progress': {
    status: 409,
    title: 'Request in progress',
    ruleId: 'FX-10',
    retryAfter: 1,
    detail:
      'The first request with this Idempotency-Key is still running; repeat it in a second to get its answer.',
  },
  'payload-too-large': {
    status: 413,
    title: 'Payload too large',
    detail: 'The body is larger than this address accepts.',
  },
  'unsupported-media-type': {
    status: 415,
    title: 'Unsupported media type',
    detail: 'This address does not accept this content type.',
  },
  'too-many-decimals': {
    status: 422,
    title: 'Too many decimals',
    ruleId: 'MON-2',
    detail: 'The amount has more decimals than its currency allows.',
  },
  'amount-too-small': {
    status: 422,
    title: 'Amount too small',
    ruleId: 'FEE-5',
    detail: 'After fees and rounding, nothing is left to pay.',
  },
  'amount-too-large': {
    status: 422,
    title: 'Amount too large',
    ruleId: 'FEE-6',
    detail: 'One of the amounts has more than 18 digits, which no message can carry.',
  },
  'amount-currency-not-of-corridor': {
    status: 422,
    title: 'Currency not of the corridor',
    ruleId: 'QUO-1',
    detail: 'The currency of the amount is neither the source nor the destination currency.',
  },
  'unknown-psp': {
    status: 422,
    title: 'Unknown PSP',
    ruleId: 'QUO-1',
    detail: 'The service does not know a PSP by this identifier.',
  },
  'psp-not-of-source-country': {
    status: 422,
    title: 'PSP not of the source country',
    ruleId: 'QUO-1',
    detail: 'The institution is not a PSP of the source country.',
  },
  'same-currency-corridor': {
    status: 422,
    title: 'Same currency on both sides',
    ruleId: 'FX-2',
    detail: 'A rate needs two different currencies.',
  },
  'corridor-not-set-up': {
    status: 422,
    title: 'Corridor not set up',
    ruleId: 'FX-3',
    detail:
      'The FX provider is not set up for this currency pair between these countries; an operator of the scheme can set it up.',
  },
  'source-sap-not-validated': {
    status: 422,
    title: 'No validated SAP in the source country',
    ruleId: 'FX-3',
    detail:
      'The FX provider has no nominated, validated SAP with an account in the source country and currency; an operator of the scheme can validate one.',
  },
  'destination-sap-not-validated': {
    status: 422,
    title: 'No validated SAP in the destination country',
    ruleId: 'FX-3',
    detail:
      'The FX provider has no nominated, validated SAP with an account in the destination country and currency; an operator of the scheme can validate one.',
  },
  'unit-currency-unknown': {
    status: 422,
    title: 'Unknown currency',
    ruleId: 'FX-6',
    detail: 'The service does not know this source currency.',
  },
  'too-many-tiers': {
    status: 422,
    title: 'Too many tiers',
    ruleId: 'FX-6',
    detail:
      'An FX provider has at most 100 tier improvements in a currency. Change one of yours: the same threshold with other basis points, where 0 ends the tier.',
  },
  'idempotency-key-reused': {
    status: 422,
    title: 'Idempotency-Key used before',
    ruleId: 'FX-10',
    detail:
      'This Idempotency-Key was used for another request. Send the body of that request again, or use a new key.',
  },
  'request-timeout': {
    status: 408,
    title: 'Request timeout',
    ruleId: 'SEC-7',
    detail:
      'The request did not arrive in time: its headers within 10 s, all of it within 30 s. Send it again, with a new signature if you sign your messages.',
  },
  'expectation-failed': {
    status: 417,
    title: 'Expectation failed',
    detail: 'Only Expect: 100-continue is supported; leave out any other expectation.',
  },
  'headers-too-large': {
    status: 431,
    title: 'Headers too large',
    detail:
      'The address and headers are larger than 16 KiB, or more than 100 lines. Send fewer or shorter headers.',
  },
  'too-many-messages': {
    status: 429,
    title: 'Too many requests at once',
    ruleId: 'SEC-7',
    retryAfter: 2,
    detail:
      'You send faster than can be processed. Nothing was stored: send this one again after the number of seconds in Retry-After.',
  },
  overloaded: {
    status: 503,
    title: 'More messages than can be answered in time',
    ruleId: 'OVL-1',
    retryAfter: 2,
    detail:
      'All payment systems together send faster than can be processed. Nothing was stored: send this one again after the number of seconds in Retry-After.',
  },
  'signature-refused': {
    status: 401,
    title: 'Signature refused',
    ruleId: 'SEC-1',
    detail:
      'The message lacks the signature that its operator requires. Nothing was stored. Sign it after RFC 9421, and send it again.',
  },
  'too-many-requests': {
    status: 429,
    title: 'Limit reached',
    ruleId: 'SEC-7',
    detail:
      'You have reached your limit of requests for this minute, or for this second. Nothing was stored: send this one again after the number of seconds in Retry-After.',
  },
  'too-many-undecided': {
    status: 429,
    title: 'Too many undecided payments',
    ruleId: 'SEC-7',
    retryAfter: 10,
    detail:
      'Your payment system has reached its limit of payments that wait for their final status. Nothing was stored: send this one again later. Enquiries about payments that were stored are answered.',
  },
  'too-many-bytes': {
    status: 429,
    title: 'Limit of the day reached',
    ruleId: 'OVL-2',
    detail:
      'Your payment system has used its quota of stored bytes for this day (UTC). Nothing was stored: send this one again after the number of seconds in Retry-After. Repeats of what was stored are answered.',
  },
  'callback-address-changed': {
    status: 422,
    title: 'Callback address changed too often',
    ruleId: 'OVL-2',
    detail:
      'Repeats have changed this callback address 100 times, which is the limit. The last address stands: send the message again with that one.',
  },
  'too-many-connections': {
    status: 503,
    title: 'Too many connections',
    ruleId: 'SEC-7',
    retryAfter: 1,
    detail:
      'Your address has reached its limit of open connections. Reuse one of them, or close one and try again.',
  },
  internal: {
    status: 500,
    title: 'Internal error',
    detail:
      'An error on our side prevented the answer; it is in our log. Send the same request again. If that fails too, tell the operators of the scheme.',
  },
  unavailable: {
    status: 503,
    title: 'Temporarily unavailable',
    retryAfter: 1,
    detail: 'A part of the service does not answer. Try again.',
  },
} as const satisfies Record<string, ProblemRow>;

export type ProblemCode = keyof typeof problems;
