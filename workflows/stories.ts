// What an operator reads of a payment's execution in the Temporal UI.
import type { Decision } from '../contract/activities.ts';

export function story(decision: Decision): string {
  return decision.reasonCode === null
    ? `${decision.status}.`
    : `${decision.status} (${decision.reasonCode}).`;
}

/** The newest run of a UETR may have done nothing but refuse a repeat, after an earlier one brought its payment to an end. */
export function refusedStory(reasonCode: string | null): string {
  return (
    `REFUSED (${reasonCode ?? ''}): this run only refused a repeat (DUP-2) and changed nothing. ` +
    'Where this UETR has a payment, it is that of an earlier run; GET /payments/{uetr} tells its status.'
  );
}
