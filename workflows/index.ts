// The one barrel: what the workflow bundle exports, by workflow type.
export { dailyBooks } from './daily-books.ts';
export { payment } from './payment.ts';
export { redelivery } from './redelivery.ts';
export { resolution } from './resolution.ts';
