// A redelivery whose workflow task fails again and again: as one that other code began, and this code cannot replay.
export function redelivery(): Promise<void> {
  throw new Error('this history cannot be replayed');
}
