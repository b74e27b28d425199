// The exports of the workflow bundle, by workflow type. No other folder has a barrel file.
export { dailyBooks } from './daily-books.ts';
export { payment } from './payment.ts';
export { redelivery } from './redelivery.ts';
export { resolution } from './resolution.ts';
