/** Makes and sends the books of each day that is closed. A Temporal schedule or an operator starts it. */
import { proxyActivities, setCurrentDetails, workflowInfo } from '@temporalio/workflow';
import type { BookActivities, BooksMade } from '../contract/activities.ts';
import { bookPolicy } from './policies.ts';
import { shielded } from './shield.ts';

export function dailyBooks(): Promise<BooksMade> {
  return shielded(async () => {
    const { sendBooks } = proxyActivities<BookActivities>(bookPolicy(workflowInfo().taskQueue));
    const made = await sendBooks();
    setCurrentDetails(`${made.pages} pages of ${made.days} days and books were made, and are being sent.`);
    return made;
  });
}
