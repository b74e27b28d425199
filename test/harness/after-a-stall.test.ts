// A gateway under test that did not run for seconds, as on a busy machine: it answers 503 until the database has confirmed
// its reference data (REF-6), and the tests that follow get their tokens all the same.
import { expect, test } from 'vitest';
import { referenceLimits } from '../../db/scheme/reference-cache.ts';
import { testGateway } from './gateway.ts';

const gateway = await testGateway({ worker: false, referenceLimits });

test('a test gets its token after a stall', async () => {
  const endsAt = Date.now() + 4_000;
  while (Date.now() < endsAt);
  await expect(gateway.token('LOTUSGS0')).resolves.toMatch(/^ey/);
});
