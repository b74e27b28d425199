// What is told of a step changes nothing about it (OBS-1, OBS-2).
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { createSteps } from '../../activities/steps.ts';
import { createWorkerMetrics } from '../../telemetry/worker-metrics.ts';

test('a step that cannot be counted is logged, and goes on', () => {
  const lines: string[] = [];
  const logger = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) });
  const metrics = createWorkerMetrics();
  const steps = createSteps(logger, metrics);
  steps.attempted({
    subjectId: 'b0f3c1de-0000-4000-8000-000000000001',
    kind: 'instruction',
    party: 'THBPPAY',
    attempt: 1,
    outcome: 'ANSWERED',
    httpStatus: 200,
    errorClass: undefined,
    durationMs: Number.NaN, // as no clock gives it; the client of Prometheus throws
    next: 'done',
  });
  expect(lines.map((line) => (JSON.parse(line) as { msg: string }).msg)).toEqual([
    'attempt',
    'a step could not be counted',
  ]);
});
