// Checks whether a dependency of the api answers. Readiness, metrics and the list of hindrances use it.
import type { ReadinessCheck } from '../dependencies.ts';

const checkTimeoutMs = 2_000; // shorter than an orchestrator's interval of a few seconds

export async function answersInTime(check: ReadinessCheck): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<false>((resolve) => {
    timer = setTimeout(() => {
      resolve(false);
    }, checkTimeoutMs);
  });
  const answered = check().then(
    () => true,
    () => false,
  );
  return Promise.race([answered, timeout]).finally(() => {
    clearTimeout(timer);
  });
}
