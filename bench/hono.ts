// `npm run bench -- hono`: compares our request handling with Hono's own middleware for the same answer, in the same
// process, in turns. What is and is not measured: bench/README.md.
import { join } from 'node:path';
import { spawnGuarded } from '../cli/parts/guard.mjs';
import { closedLoop, type LoopRequest } from './closed-loop.ts';
import { cpuTimes } from './cpu-time.ts';
import { origin, questions, sides, type HonoServerLine, type Question } from './hono-questions.ts';
import { positive, readOptions } from './options.ts';
import type { ThrowawayPlace } from '../cli/throwaway.ts';

const asking: LoopRequest = { path: '/country', headers: { 'if-none-match': '"other"' } };
const requests: Readonly<Record<Question, LoopRequest>> = {
  input: { path: '/quotes/SG/SGD/TH/THB?amt=1000&amtCcy=SGD&pspId=BANYSGS0' },
  body: {
    path: '/rates',
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      sourceCountry: 'SG',
      sourceCurrency: 'SGD',
      destinationCountry: 'TH',
      destinationCurrency: 'THB',
      rate: '25.1',
    }),
  },
  cors: { path: '/country', headers: { origin } },
  etag: asking,
  'kept etag': asking,
};

const options = {
  clients: { type: 'string', default: '16' },
  seconds: { type: 'string', default: '1' },
  rounds: { type: 'string', default: '10' },
} as const;

export async function benchHono(argv: readonly string[], place: ThrowawayPlace): Promise<void> {
  const values = readOptions(argv, options);
  const clients = positive(values.clients, '--clients');
  const seconds = positive(values.seconds, '--seconds', 'fraction');
  const rounds = positive(values.rounds, '--rounds');
  const { pid, line } = await startMeasured(place);
  console.log(`${clients} clients, ${rounds} rounds of ${seconds} s each; microseconds of CPU per request\n`);
  console.log(['question'.padEnd(10), ...sides.map((side) => side.padStart(8)), '  hono / ours'].join(''));
  for (const question of questions) {
    const microseconds = { ours: [] as number[], hono: [] as number[] };
    for (let round = -1; round < rounds; round += 1) {
      for (const side of sides) {
        const before = cpuTimes([pid])[0] ?? 0;
        const run = { url: line[question][side], clients, seconds, request: () => requests[question] };
        const result = await closedLoop(run);
        const used = (cpuTimes([pid])[0] ?? 0) - before;
        // the first round only compiles the code
        if (round >= 0) microseconds[side].push((1_000 * used) / result.requests);
      }
    }
    const [ours, hono] = [median(microseconds.ours), median(microseconds.hono)];
    const figures = [ours, hono].map((figure) => figure.toFixed(0).padStart(8));
    console.log([question.padEnd(10), ...figures, `  ${(hono / ours).toFixed(2)}`].join(''));
  }
}

async function startMeasured(place: ThrowawayPlace): Promise<{ pid: number; line: HonoServerLine }> {
  const child = spawnGuarded(
    process.execPath,
    [join(import.meta.dirname, 'hono-server.ts')],
    { stdio: ['ignore', 'pipe', 'inherit'] },
    { stop: 'SIGTERM' },
  );
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  place.atEnd(async () => {
    child.kill();
    await ended;
  });
  const line = await new Promise<HonoServerLine>((resolve, reject) => {
    child.stdout?.setEncoding('utf8').once('data', (text: string) => {
      resolve(JSON.parse(text) as HonoServerLine); // one line, written at once
    });
    void ended.then(() => reject(new Error('the measured process has ended')));
  });
  return { pid: child.pid ?? 0, line };
}

/** The median, because other load on the machine slows single rounds and would move the mean. */
function median(figures: readonly number[]): number {
  const sorted = [...figures].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
