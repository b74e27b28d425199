// Measures the speed of the machine. It is a separate process, so that neither the load nor a defect of the gateway
// can delay it. Each measurement is a pause, some work and a write to the databases' disk. After each one, the probe
// sends its delay to the parent process.
//
//   argv[2]   a file on the disk to measure
//   argv[3]   CPU time of each measurement, in milliseconds
import { createHash } from 'node:crypto';
import { fdatasyncSync, openSync, writeSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

const pauseMs = 480;
const workMs = Number(process.argv[3]);
const bytes = Buffer.alloc(1 << 16);
const file = openSync(process.argv[2] ?? '', 'w');
process.once('disconnect', () => process.exit());

const spentMs = () => process.cpuUsage().user / 1_000 + process.cpuUsage().system / 1_000;

for (;;) {
  const [began, spent] = [performance.now(), spentMs()];
  await delay(pauseMs);
  while (spentMs() - spent < workMs) createHash('sha256').update(bytes).digest();
  writeSync(file, bytes, 0, 4_096, 0);
  fdatasyncSync(file);
  const lateMs = performance.now() - began - pauseMs - (spentMs() - spent);
  const beat = { at: new Date().toISOString(), lateMs: Math.max(0, Math.round(lateMs)) };
  process.send?.(beat, () => undefined); // the parent may have exited
}
