// Measures the time to handle one pacs.008 (parse, validate, read) with each XML engine, and compares it with
// bare libxml2 on the same bytes. Both sides take turns, so that a busy machine slows both alike. The result is the
// median round.
import { readFileSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { XmlDocument, XsdValidator } from 'libxml2-wasm';
import { messages } from '../core/iso20022/messages.ts';
import { readPacs008 } from '../core/iso20022/pacs008.ts';
import { quantile } from './closed-count.ts';
import { readOptions } from './options.ts';
import type { XmlEngine } from '../xml/engine.ts';
import { xmlEngineNames, openXmlEngine } from '../xml/open-engine.ts';

// an ordinary message, and a message with every element
const samples = ['sg-th-lotus.xml', 'sg-th-full.xml'] as const;
const sampleFolder = new URL('../test/fixtures/pacs008/', import.meta.url);
const schemaPath = new URL(`../schemas/${messages.pacs008.schemaFile}`, import.meta.url);

interface Plan {
  readonly warmUpRounds: number;
  readonly rounds: number;
  readonly perRound: number;
  /** The time so far in milliseconds. */
  readonly clock: () => number;
}

/** The CPU of all threads, because the runtime collects garbage on its own. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

const plans: Readonly<Record<XmlEngine['name'], Plan>> = {
  libxml2: { warmUpRounds: 4, rounds: 40, perRound: 500, clock: cpuMs }, // long rounds, so that each has its garbage collections
  xerces: { warmUpRounds: 0, rounds: 3, perRound: 1, clock: () => performance.now() }, // each message starts a JVM, another process
};

/** Returns a function that only parses and validates, to measure the cost of libxml2 itself. */
function createBare(): (bytes: Uint8Array) => void {
  const schema = XmlDocument.fromBuffer(readFileSync(schemaPath));
  const validator = XsdValidator.fromDoc(schema);
  schema.dispose();
  return (bytes) => {
    const document = XmlDocument.fromBuffer(bytes);
    validator.validate(document);
    document.dispose();
  };
}

/** Handles a message as the gateway does: it checks, parses, validates and reads the message. */
async function handle(engine: XmlEngine, bytes: Uint8Array): Promise<void> {
  const parsed = engine.parse(bytes, ['pacs008']);
  if (!parsed.ok) throw new Error(parsed.refusal.detail);
  const violations = await parsed.value.validate();
  const reading = readPacs008(parsed.value.document());
  parsed.value.dispose();
  if (violations.length > 0 || !reading.ok) throw new Error('the sample is not valid');
}

/** Each message has its own turn of the event loop, as in the gateway. Until its end, the runtime keeps the document. */
async function timeMs({ perRound, clock }: Plan, run: () => void | Promise<void>): Promise<number> {
  const start = clock();
  for (let message = 0; message < perRound; message += 1) {
    await run();
    await setImmediate();
  }
  return (clock() - start) / perRound;
}

async function compare(engine: XmlEngine, bytes: Uint8Array) {
  const bare = createBare();
  const plan = plans[engine.name];
  const bareMs: number[] = [];
  const engineMs: number[] = [];
  for (let round = -plan.warmUpRounds; round < plan.rounds; round += 1) {
    const times = [
      await timeMs(plan, () => bare(bytes)),
      await timeMs(plan, () => handle(engine, bytes)),
    ] as const;
    if (round < 0) continue;
    bareMs.push(times[0]);
    engineMs.push(times[1]);
  }
  return { bareMs: quantile(bareMs, 0.5), engineMs: quantile(engineMs, 0.5) };
}

/** `npm run bench -- xml`: prints the milliseconds per message and the ratio to bare libxml2. */
export async function benchXml(argv: readonly string[]): Promise<void> {
  readOptions(argv, {});
  console.log('pacs.008: parse + validate + read, against bare libxml2 (parse + validate) on the same bytes');
  for (const name of xmlEngineNames) {
    const engine = await openXmlEngine(name);
    for (const sample of samples) {
      const bytes = readFileSync(new URL(sample, sampleFolder));
      const { bareMs, engineMs } = await compare(engine, bytes);
      const ratio = (engineMs / bareMs).toFixed(2);
      console.log(
        `${name.padEnd(8)} ${sample.padEnd(16)} ${String(bytes.length).padStart(5)} B` +
          `  bare ${bareMs.toFixed(3)} ms  ours ${engineMs.toFixed(3)} ms  ratio ${ratio}`,
      );
    }
  }
}
