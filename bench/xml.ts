// Measures the time to handle one pacs.008 (parse, validate, read) with each XML engine, and compares it with
// bare libxml2 on the same bytes. Both sides take turns in short rounds, so that a busy machine slows both
// alike. The result is the median round.
import { readFileSync } from 'node:fs';
import { XmlDocument, XsdValidator } from 'libxml2-wasm';
import { messages } from '../core/iso20022/messages.ts';
import { readPacs008 } from '../core/iso20022/pacs008.ts';
import { quantile } from './closed-count.ts';
import type { XmlEngine } from '../xml/engine.ts';
import { xmlEngineNames, openXmlEngine } from '../xml/open-engine.ts';

// an ordinary message, and a message with every element
const samples = ['sg-th-lotus.xml', 'sg-th-full.xml'] as const;
const sampleFolder = new URL('../test/fixtures/pacs008/', import.meta.url);
const schemaPath = new URL(`../schemas/${messages.pacs008.schemaFile}`, import.meta.url);

interface Plan {
  readonly rounds: number;
  readonly perRound: number;
}

const plans: Readonly<Record<XmlEngine['name'], Plan>> = {
  libxml2: { rounds: 1_000, perRound: 10 }, // short rounds, so that most run without interruption
  xerces: { rounds: 3, perRound: 1 }, // few rounds, because each message starts a JVM
};
const warmUpRounds = 200; // enough for the JIT to compile every code path

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
  const reading = readPacs008(parsed.value.document);
  parsed.value.dispose();
  if (violations.length > 0 || !reading.ok) throw new Error('the sample is not valid');
}

async function timeMs(times: number, run: () => void | Promise<void>): Promise<number> {
  const start = performance.now();
  for (let time = 0; time < times; time += 1) await run();
  return (performance.now() - start) / times;
}

async function compare(engine: XmlEngine, bytes: Uint8Array) {
  const bare = createBare();
  const { rounds, perRound } = plans[engine.name];
  if (engine.name === 'libxml2') {
    await timeMs(warmUpRounds * perRound, () => handle(engine, bytes));
    await timeMs(warmUpRounds * perRound, () => bare(bytes));
  }
  const bareMs: number[] = [];
  const engineMs: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    bareMs.push(await timeMs(perRound, () => bare(bytes)));
    engineMs.push(await timeMs(perRound, () => handle(engine, bytes)));
  }
  return { bareMs: quantile(bareMs, 0.5), engineMs: quantile(engineMs, 0.5) };
}

/** `npm run bench -- xml`: prints the milliseconds per message and the ratio to bare libxml2. */
export async function benchXml(): Promise<void> {
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
