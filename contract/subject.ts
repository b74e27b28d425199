// What a message, a delivery or an event is about: a payment or a resolution.

export interface Subject {
  /** UETR of a payment, or id of a resolution. */
  readonly subjectId: string;
}

/** The same, as executions that began before 0.2.0 name it. */
export interface EarlierSubject {
  readonly uetr: string;
}

/**
 * Reads both forms: a scheduled activity and a running redelivery keep the arguments that they were given. The earlier
 * form can go in 0.4.0. No delivery is tried for longer than 72 hours (CBK-1), so by then none of them is left.
 */
export function subjectIdOf(subject: Subject | EarlierSubject): string {
  return 'subjectId' in subject ? subject.subjectId : subject.uetr;
}
