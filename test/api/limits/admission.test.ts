// Which submissions are refused at once because their answers would be late (OVL-1). The test controls the clock, so
// no figure depends on the machine.
import { setImmediate as nextPass, setTimeout as delay } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { admitting } from '../../../api/http/limits/admission.ts';
import { isProblem } from '../../../api/http/problems/problem.ts';
import { createTurns, type Turns } from '../../../api/http/limits/turns.ts';
import { problemTexts } from '../../harness/problem-texts.ts';
import { eventually } from '../../harness/wait.ts';

const tickMs = 25;

let nowMs = 0;
let turns: Turns;
/** Submissions that are being judged, in the order of their coming: the engine answers the first ones. */
let engine: { readonly sender: string; readonly cameAtMs: number; readonly answer: () => void }[] = [];
/** What a refusal said, by code. */
const told = new Map<string, string>();
let waits: { readonly sender: string; readonly ms: number }[] = [];

beforeEach(() => {
  nowMs = 0;
  engine = [];
  waits = [];
  turns = admitting(createTurns({ atOnce: 8, waiting: 100, waitMs: 60_000 }), () => nowMs);
});

/** @returns the code of the refusal; undefined: it is admitted */
function submit(sender: string): string | undefined {
  const cameAtMs = nowMs;
  const room = turns.makeRoom(sender);
  if (isProblem(room)) {
    told.set(room.code, room.detail);
    return room.code;
  }
  room();
  void turns.take(
    sender,
    (giveUp) =>
      new Promise<void>((resolve) =>
        engine.push({
          sender,
          cameAtMs,
          answer: () => {
            giveUp();
            resolve();
          },
        }),
      ),
  );
  return undefined;
}

interface Load {
  readonly seconds: number;
  /** Submissions of each sender in a second. */
  readonly perSecond: Readonly<Record<string, number>>;
  /** How many the engine answers in a second. */
  readonly answered: number;
}

/** @returns how often each sender was refused, by code */
async function run(
  { seconds, perSecond, answered }: Load,
  onTick: () => void = () => undefined,
): Promise<Record<string, Record<string, number>>> {
  const refusals: Record<string, Record<string, number>> = {};
  const due: Record<string, number> = {};
  let answers = 0;
  for (let tick = 0; tick < (seconds * 1_000) / tickMs; tick += 1) {
    for (const [sender, rate] of Object.entries(perSecond)) {
      due[sender] = (due[sender] ?? 0) + (rate * tickMs) / 1_000;
      for (; due[sender] >= 1; due[sender] -= 1) {
        const code = submit(sender);
        if (code === undefined) continue;
        const ofSender = (refusals[sender] ??= {});
        ofSender[code] = (ofSender[code] ?? 0) + 1;
      }
    }
    await nextPass(); // those that have a place begin
    answers = Math.min(answers + (answered * tickMs) / 1_000, Math.max(1, engine.length));
    for (; answers >= 1; answers -= 1) {
      const first = engine.shift();
      if (first === undefined) break;
      first.answer();
      waits.push({ sender: first.sender, ms: nowMs - first.cameAtMs });
      await nextPass(); // the next of its sender begins
    }
    nowMs += tickMs;
    onTick();
  }
  return refusals;
}

const eight = Array.from({ length: 8 }, (_, n) => `SYSTEM${n}`);
const each = (rate: number) => Object.fromEntries(eight.map((sender) => [sender, rate]));

describe('admission under load', () => {
  it.each([2, 4.5])(
    'at %s times the sustainable rate, whatever is accepted is answered within 2 s, and the engine is never idle (OVL-1)',
    async (times) => {
      await run({ seconds: 5, perSecond: each(5), answered: 40 }); // what it can do is known
      waits = [];
      const refusals = await run({ seconds: 20, perSecond: each((40 * times) / 8), answered: 40 });
      expect(Math.max(...waits.map(({ ms }) => ms))).toBeLessThan(2_000);
      expect(waits.length).toBeGreaterThan(20 * 40 * 0.95);
      expect(Object.values(refusals).flatMap(Object.keys)).toContain('overloaded');
      expect(told.get('overloaded')).toBe(problemTexts.overloaded.told);
    },
  );

  it('refuses nothing at the sustainable rate (OVL-1)', async () => {
    expect(await run({ seconds: 20, perSecond: each(5), answered: 40 })).toEqual({});
  });

  it('refuses for its own load whoever sends most, and nobody else (OVL-1, I-16)', async () => {
    const refusals = await run({ seconds: 10, perSecond: { LOUD: 200, QUIET: 2 }, answered: 40 });
    expect(Object.keys(refusals)).toEqual(['LOUD']);
    expect(Object.keys(refusals['LOUD'] ?? {})).toEqual(['too-many-messages']);
    const quiet = waits.filter(({ sender }) => sender === 'QUIET');
    expect(quiet.length).toBeGreaterThanOrEqual(18);
  });

  it('notices within seconds that the engine has become slower, for one sender too (OVL-1)', async () => {
    await run({ seconds: 10, perSecond: { FAST: 1_000 }, answered: 1_000 });
    await run({ seconds: 5, perSecond: { ONE: 80 }, answered: 40 });
    waits = [];
    await run({ seconds: 20, perSecond: { ONE: 80 }, answered: 40 });
    expect(Math.max(...waits.map(({ ms }) => ms))).toBeLessThan(2_000);
  });

  it('after a stall, and with bursts only, admits what the engine can answer in time (OVL-1)', async () => {
    await run({ seconds: 10, perSecond: { ONE: 20 }, answered: 0 });
    await run({ seconds: 5, perSecond: {}, answered: 400 });
    const refusedOf = (burst: number) =>
      Array.from({ length: burst }, () => submit('ONE')).filter((code) => code !== undefined).length;
    expect(refusedOf(20)).toBe(0);
    for (let round = 0; round < 3; round += 1) {
      await run({ seconds: 2, perSecond: {}, answered: 400 });
      refusedOf(75);
    }
    await run({ seconds: 2, perSecond: {}, answered: 400 });
    expect(refusedOf(100)).toBe(0);
  });

  it('keeps the bursts of others, however many repeats of one wait to be answered from the record (OVL-1, I-16)', async () => {
    let isOn = true;
    let answered = 0;
    const repeating = Array.from({ length: 60 }, async () => {
      for (; isOn; answered += 1)
        await turns.take('REPEATING', (giveUp) => delay(2).then(() => giveUp('record')));
    });
    await eventually(() => expect(answered).toBeGreaterThan(60)); // each has been answered once
    await run({ seconds: 20, perSecond: { HONEST: 2 }, answered: 40 });
    const refused = Array.from({ length: 20 }, () => submit('HONEST')).filter((code) => code !== undefined);
    isOn = false;
    expect(refused).toEqual([]);
    await Promise.all(repeating);
  });

  it('admits one message of each sender while nothing is answered, and all of them once it goes on (OVL-1)', async () => {
    await run({ seconds: 5, perSecond: each(10), answered: 0 });
    expect(submit('SYSTEM0')).toBeDefined();
    expect(submit('ANOTHER')).toBeUndefined();
    await run({ seconds: 5, perSecond: {}, answered: 40 });
    expect(engine).toHaveLength(0);
    await run({ seconds: 1, perSecond: each(5), answered: 40 });
    expect(await run({ seconds: 5, perSecond: each(5), answered: 40 })).toEqual({});
  });
});
