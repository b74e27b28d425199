// The English texts of what people do in the portal.

export interface ActTexts {
  readonly label: string;
  readonly done: string;
  readonly hint?: string;
}

export const acts = {
  alert: {
    label: 'Take, note, close or reopen',
    done: 'The alert has a new entry.',
    hint: 'A note is needed for all but take. Write no personal data.',
  },
  case: {
    label: 'Take, note, close or reopen the case',
    done: 'The case has a new entry.',
    hint: 'A note is needed for all but take. Write no personal data.',
  },
  redeliver: {
    label: 'Deliver again',
    done: 'The messages go out again.',
    hint: 'Without a choice: what was not received. With one: also what was received.',
  },
  redeliverAll: { label: 'Deliver dead letters again', done: 'This is what is delivered, or would be.' },
  enquire: { label: 'Ask the destination now', done: 'The destination is asked again.' },
  settle: {
    label: 'Record how it ended',
    done: 'Recorded. A second operator must confirm it.',
    hint: 'RJCT needs the reason code that the destination gave. Write no personal data.',
  },
  confirmOutcome: {
    label: 'Confirm as the second operator',
    done: 'Confirmed: this is the final status.',
    hint: 'This cannot be undone.',
  },
  withdrawOutcome: { label: 'Withdraw what was recorded', done: 'Withdrawn.' },
  pause: {
    label: 'Pause',
    done: 'Paused.',
    hint: 'New payments to a payment system are rejected (ED06). The rates of an FX provider make no new quotes.',
  },
  resume: { label: 'Resume', done: 'Resumed.' },
  propose: {
    label: 'Propose a change',
    done: 'Taken in.',
    hint: 'A list of { "kind", "document" } or { "kind", "ends" }. What could divert money waits for a second operator. With preview, nothing changes.',
  },
  enter: {
    label: 'Propose a change',
    done: 'Taken in.',
    hint: 'What could divert money waits for a second operator. A preview changes nothing.',
  },
  end: { label: 'End it', done: 'Taken in.' },
  approve: { label: 'Approve', done: 'Approved.' },
  refuse: { label: 'Refuse', done: 'Refused.' },
  withdraw: { label: 'Withdraw', done: 'Withdrawn.' },
  newSecret: {
    label: 'Give it another secret',
    done: 'Copy the secret now: it is shown once.',
    hint: 'It may wait for a second operator before it counts. Earlier secrets count for 24 more hours, unless you say otherwise; 0 ends them at once.',
  },
  rotateDeliveryKey: { label: 'Rotate the key', done: 'A new key signs.' },
  rotateIssuerKey: { label: 'Rotate the key', done: 'A new key signs.' },
  trial: {
    label: 'Send a trial message to each',
    done: 'A trial message goes to each of your addresses.',
    hint: 'Each gets a pacs.028 about a payment that does not exist, whatever it usually takes. At most one goes to each address in 10 seconds.',
  },
  rate: { label: 'Post the rate', done: 'The rate counts now.' },
  tier: { label: 'Register or update a tier', done: 'The tier counts now.', hint: '0 basis points end it.' },
  psp: {
    label: 'Register or update an improvement',
    done: 'The improvement counts now.',
    hint: '0 basis points end it.',
  },
} as const satisfies Readonly<Record<string, ActTexts>>;
