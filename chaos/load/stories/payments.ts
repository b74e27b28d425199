// Payments that the rules accept, with a quote or with own FX. They are most of the load. The destinations
// decide how they end.
import type { Expected } from '../../oracle/evidence.ts';
import { feeOn, times } from '../decimal.ts';
import { draftPayment, write, type Draft } from '../draft.ts';
import { askQuotes, choose, drawAmount, drawCorridor, pay, statusOf } from '../paying.ts';
import type { Random } from '../random.ts';
import { endOf } from '../scheme.ts';
import type { Story, Tools } from '../tools.ts';
import type { OriginalPacs008 } from '../../../core/iso20022/build-pacs008.ts';
import type { Terms } from '../../../fixtures/instruction.ts';
import type { QuoteOnOffer } from '../../../fixtures/bodies.ts';
import { endingIn } from '../../../fixtures/endings.ts';

/**
 * Draws how a sender waits for the answer: without a preference, with a preferred time, or until it hangs up.
 */
function drawWaiting(random: Random): { prefer?: string; hangUpAfterMs?: number } {
  const way = random.integer(1, 100);
  const wait = random.pick([1, 2, 5, 10, 25, 30]);
  const hangUpAfterMs = random.integer(20, 4_000);
  if (way <= 60) return {};
  return way <= 88 ? { prefer: `wait=${wait}` } : { prefer: 'wait=30', hangUpAfterMs };
}

/**
 * The clients that read the record of a payment. The payment's two PSPs, their operators and the role
 * operator may read it. A stranger must learn nothing (SEC-1). The story draws them before it sends anything.
 */
interface Look {
  readonly afterMs: number;
  /** Ids of clients that may read the record. */
  readonly readers: readonly string[];
  readonly stranger: string;
}

/**
 * Draws two readers and a stranger. One reader is on the source side, one is on the destination side or the
 * role operator. The stranger is a PSP of a third country.
 */
function drawLook(random: Random, { corridor, debtorPsp, creditorPsp }: Draft): Look {
  const { source, destination } = corridor;
  const third = ['SG', 'MY', 'TH'].find((one) => one !== source.country && one !== destination.country);
  return {
    // during the first sends of the payment, or later
    afterMs: random.pick([random.integer(0, 80), random.integer(0, 6_000)]),
    readers: [
      random.pick([debtorPsp, debtorPsp, source.system]),
      random.pick([creditorPsp, destination.system, 'operator']),
    ],
    stranger: `LOTU${third ?? 'IN'}S0`,
  };
}

const answered: Expected = { verdict: 'answered', rule: 'SEC-1' };
const notFound: Expected = { verdict: 'refused', status: 404 };

/**
 * Reads the record of a payment as the chosen clients.
 * @param isDecided whether the destination has decided. Until a byte of the payment may have been sent, the
 * destination's side does not see it.
 */
async function lookAfter(
  tools: Tools,
  { uetr, corridor, creditorPsp }: Draft,
  { api, look, isDecided }: { api: number; look: Look; isDecided: boolean },
): Promise<void> {
  if (!(await tools.rest(look.afterMs))) return;
  const path = `/payments/${uetr}`;
  const question = { api, method: 'GET', path, uetr } as const;
  for (const client of look.readers) {
    const isOfDestination = [corridor.destination.system, creditorPsp].includes(client);
    const expected = isDecided || !isOfDestination ? { expected: answered } : {};
    await tools.send({ ...question, client, purpose: 'evidence', ...expected });
  }
  const client = look.stranger;
  await tools.send({ ...question, client, purpose: 'evidence-of-others', expected: notFound });
}

const quoted: Story = {
  name: 'payment',
  weight: 50,
  play: async (tools) => {
    const { random, canaries } = tools;
    const corridor = drawCorridor(random);
    const asked = drawAmount(random, corridor);
    const draft = draftPayment(random, canaries, { corridor });
    const waiting = drawWaiting(random);
    const [api, choice, isLookedAt] = [random.integer(0, 7), random.integer(0, 99), random.chance(15)];
    const [look, other] = [drawLook(random, draft), random.integer(0, 1)];
    const quotes = await askQuotes(tools, { corridor, psp: draft.debtorPsp, asked, api });
    const quote = choose(quotes, choice);
    await tools.ready(corridor.source.system);
    const body = write(draft, quote, Date.now());
    const answer = await pay(tools, draft, body, { api: api + other, ...waiting });
    const status = statusOf(answer)?.status;
    if (!isLookedAt || status === undefined) return;
    await lookAfter(tools, draft, { api, look, isDecided: ['ACCC', 'BLCK'].includes(status) });
  },
};

const ownCorridor = { source: endOf('SG'), destination: endOf('TH') };

/**
 * Draws the terms of a payment with own FX (PAY-5). The debtor agent chooses amount and rate. The fee follows
 * the formula (FEE-2).
 */
function drawOwnTerms(random: Random): Terms {
  const { source, destination } = ownCorridor;
  const amount = `${random.integer(20, 40_000)}.${random.integer(10, 99)}`;
  const rate = `${random.integer(20, 26)}.${random.digits(8)}1`;
  const settlement = times(amount, rate, destination.places);
  const fee = feeOn(settlement, destination.creditorAgentFee, destination.places);
  return {
    rate,
    source: { currency: source.currency, amount },
    fee: { currency: destination.currency, amount: fee },
  };
}

const ownExchange: Story = {
  name: 'own-exchange',
  weight: 6,
  play: async (tools) => {
    const { random, canaries } = tools;
    const draft = draftPayment(random, canaries, { corridor: ownCorridor, debtorPsp: 'LOTUSGS0' });
    const terms = drawOwnTerms(random);
    const [waiting, api] = [drawWaiting(random), random.integer(0, 7)];
    await tools.ready(ownCorridor.source.system);
    await pay(tools, draft, write(draft, terms, Date.now()), { api, ...waiting });
  },
};

/** Takes the best quote, for stories that do not test quotes. */
async function quoteFor(
  tools: Tools,
  { draft, asked, api }: { draft: Draft; asked: ReturnType<typeof drawAmount>; api: number },
): Promise<QuoteOnOffer> {
  const { corridor, debtorPsp: psp } = draft;
  return choose(await askQuotes(tools, { corridor, psp, asked, api }), 0);
}

export interface Paid {
  readonly draft: Draft;
  readonly body: string;
  readonly api: number;
  /** Returns the same payment with some values changed. */
  readonly rewrite: (changes: Partial<OriginalPacs008>) => string;
}

/** Prepares a payment with a quote, but does not submit it. */
export async function prepare(tools: Tools, random: Random, ending?: string): Promise<Paid> {
  const corridor = drawCorridor(random);
  const draft = draftPayment(random, tools.canaries, { corridor, ...(ending && { ending }) });
  const asked = drawAmount(random, corridor);
  const api = random.integer(0, 7);
  const quote = await quoteFor(tools, { draft, asked, api });
  await tools.ready(corridor.source.system);
  const acceptedAt = Date.now();
  const rewrite = (changes: Partial<OriginalPacs008>) => write(draft, quote, acceptedAt, changes);
  return { draft, api, body: rewrite({}), rewrite };
}

/**
 * Submits two payments with the same quote at the same time, each to a different api. Exactly one payment may
 * use the quote (QUO-8).
 */
const race: Story = {
  name: 'race-for-a-quote',
  weight: 4,
  play: async (tools) => {
    const { random, canaries } = tools;
    const corridor = drawCorridor(random);
    const asked = drawAmount(random, corridor);
    const one = draftPayment(random, canaries, { corridor });
    const { debtorPsp, creditorPsp } = one;
    const drafts = [one, draftPayment(random, canaries, { corridor, debtorPsp, creditorPsp })];
    const [api, headStartMs] = [random.integer(0, 7), random.integer(0, 30)];
    const quote = await quoteFor(tools, { draft: one, asked, api });
    await tools.ready(corridor.source.system);
    await Promise.all(
      drafts.map(async (draft, index) => {
        const body = write(draft, quote, Date.now());
        if (index === 1) await tools.pause(headStartMs);
        await pay(tools, draft, body, { api: api + index, purpose: 'race', orCodes: ['AB04'] });
      }),
    );
  },
};

/** Reuses the quote of a rejected payment. The rejection frees the quote (QUO-8). */
const reuse: Story = {
  name: 'quote-after-rejection',
  weight: 3,
  play: async (tools) => {
    const { random, canaries } = tools;
    const corridor = drawCorridor(random);
    const asked = drawAmount(random, corridor);
    const first = draftPayment(random, canaries, { corridor, ending: endingIn.rejected, priority: 'NORM' });
    const { debtorPsp, creditorPsp } = first;
    const second = draftPayment(random, canaries, { corridor, debtorPsp, creditorPsp });
    const api = random.integer(0, 7);
    const quote = await quoteFor(tools, { draft: first, asked, api });
    await tools.ready(corridor.source.system);
    const body = write(first, quote, Date.now());
    const answer = await pay(tools, first, body, { api, prefer: 'wait=20' });
    if (statusOf(answer)?.status !== 'RJCT' || !(await tools.rest(0))) return;
    await tools.ready(corridor.source.system);
    await pay(tools, second, write(second, quote, Date.now()), { api: api + 1 });
  },
};

export const paymentStories: readonly Story[] = [quoted, ownExchange, race, reuse];
