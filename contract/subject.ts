// What a message, a delivery or an event is about: a payment or a resolution.

export interface Subject {
  /** UETR of a payment, or id of a resolution. */
  readonly subjectId: string;
}
