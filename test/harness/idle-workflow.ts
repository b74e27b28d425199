// A payment's execution that does nothing and never will: as one whose first task was lost on the way, without a
// failure.
import { condition } from '@temporalio/workflow';

export async function payment(): Promise<void> {
  await condition(() => false);
}
