/**
 * Every kind of event in the audit trail. `alert`: a person must act; docs/operations/alerts.md explains how.
 * `security`: somebody tried a forbidden action. `info`: no action is needed.
 */
export const eventKinds = {
  'answer.defect': 'alert',
  'book.clocks-apart': 'alert',
  'book.closed-ahead': 'alert',
  'book.defect': 'alert',
  'book.late': 'alert',
  'book.passed-ahead': 'alert',
  'book.unusable-endpoint': 'alert',
  'confirmation.asked-again': 'info',
  'decision.defect': 'alert',
  'delivery-key.made': 'info',
  'delivery-key.not-ours': 'alert',
  'delivery-key.unreadable': 'alert',
  'delivery.dead-letter': 'alert',
  'delivery.taken-after-all': 'info',
  'destination.answer-refused': 'alert',
  'execution.stuck': 'alert',
  'issuer-key.made': 'info',
  'issuer-key.not-ours': 'alert',
  'message.changed': 'alert',
  'message.defect': 'alert',
  'message.unanswerable': 'alert',
  'message.unanswerable-again': 'info',
  'notification.defect': 'alert',
  'notification.no-endpoint': 'alert',
  'operator.enquiry': 'info',
  'operator.outcome-confirmed': 'info',
  'operator.outcome-recorded': 'info',
  'operator.outcome-withdrawn': 'info',
  'operator.paused': 'info',
  'operator.redelivery': 'info',
  'operator.resumed': 'info',
  'operator.scheme-change': 'info',
  'payment.content-changed': 'security',
  'party.at-limit': 'alert',
  'payment.contradiction': 'alert',
  'payment.destination-paused': 'info',
  'payment.in-doubt': 'alert',
  'payment.report-deviates': 'info',
  'payment.uetr-of-another': 'security',
  'record.seals-missing': 'alert',
  'record.unsealed': 'alert',
  'report.invalid': 'info',
  'report.not-the-destination': 'security',
  'report.original-ids-differ': 'security',
  'report.unknown-payment': 'security',
  'resolution.answer-refused': 'alert',
  'resolution.content-changed': 'security',
  'resolution.reason-unlisted': 'info',
  'retention.data-keys-dropped': 'info',
  'retention.dropped': 'info',
  'sweep.started-again': 'info',
  'worker.engines-differ': 'alert',
  'worker.own-resources': 'alert',
  'worker.sealing-key-missing': 'alert',
} as const satisfies Record<string, 'info' | 'alert' | 'security'>;

export type EventKind = keyof typeof eventKinds;

/** The kinds with severity `alert`. */
export type AlertKind = {
  [Kind in EventKind]: (typeof eventKinds)[Kind] extends 'alert' ? Kind : never;
}[EventKind];
