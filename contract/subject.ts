// The subject of a message, a delivery or an event: a payment or a resolution.

export interface Subject {
  /** UETR of a payment, or id of a resolution. */
  readonly subjectId: string;
}
