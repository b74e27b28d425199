// Payments whose terms the rules refuse: the amount, the quote, or the time of acceptance (PAY-4, QUO-6,
// TIM-4). Each payment has exactly one fault, so that this fault determines the reason code.
import { termsOf, type Terms } from '../../../fixtures/instruction.ts';
import { oneUnitMore } from '../decimal.ts';
import { draftPayment, write, type Draft } from '../draft.ts';
import { askQuotes, choose, drawAmount, drawCorridor, payWrongly } from '../paying.ts';
import type { Random } from '../random.ts';
import { pspsOf } from '../scheme.ts';
import { StoryEnded, type Story } from '../tools.ts';

interface Refused {
  readonly name: string;
  readonly code: string;
  /** The default is 0.5. */
  readonly weight?: number;
  /** The default is NORM. */
  readonly priority?: 'HIGH';
  /** Returns the PSP that requests the quote. The default is the debtor agent. */
  readonly asker?: (draft: Draft) => string;
  readonly terms?: (terms: Terms, draft: Draft, random: Random) => Terms;
  /** Range for the age of the acceptance, in seconds. */
  readonly age?: readonly [least: number, most: number];
  /**
   * Range for the age of the quote, in seconds. The load changes the time in the stored row, so that the run
   * need not wait.
   */
  readonly quoteAge?: readonly [least: number, most: number];
}

const rows: readonly Refused[] = [
  {
    name: 'wrong-amount',
    code: 'AM09',
    terms: (terms, { corridor }) => ({
      ...terms,
      source: { ...terms.source, amount: oneUnitMore(terms.source.amount, corridor.source.places) },
    }),
  },
  {
    name: 'unknown-quote',
    code: 'AB04',
    terms: (terms, _, random) => ({ ...terms, quoteId: random.uuid() }),
  },
  {
    name: 'quote-of-another',
    code: 'AGNT',
    asker: ({ corridor, debtorPsp }) =>
      pspsOf(corridor.source.country).find((one) => one !== debtorPsp) ?? debtorPsp,
  },
  { name: 'stale', code: 'TM01', weight: 1, age: [125, 100_000] },
  { name: 'past-the-deadline', code: 'TM01', priority: 'HIGH', age: [27, 110] },
  { name: 'expired-quote', code: 'AB04', weight: 1, quoteAge: [601, 1_200] },
];

const storyOf = (row: Refused): Story => ({
  name: `refused/${row.name}`,
  weight: row.weight ?? 0.5,
  play: async (tools) => {
    const { random, canaries } = tools;
    const { code, priority = 'NORM', age = [0, 0], quoteAge } = row;
    const corridor = drawCorridor(random);
    const draft = draftPayment(random, canaries, { corridor, priority });
    const asked = drawAmount(random, corridor);
    const [api, seconds, fork] = [random.integer(0, 7), random.integer(...age), random.fork()];
    const psp = row.asker?.(draft) ?? draft.debtorPsp;
    const purpose = quoteAge === undefined ? 'quote' : 'quote-to-expire';
    const quote = choose(await askQuotes(tools, { corridor, psp, asked, api, purpose }), 0);
    if (quoteAge !== undefined && !(await tools.ageQuote(quote.quoteId, fork.integer(...quoteAge))))
      throw new StoryEnded('a quote cannot be made older');
    await tools.ready(corridor.source.system);
    const terms = row.terms?.(termsOf(quote), draft, fork) ?? termsOf(quote);
    const body = write(draft, terms, Date.now() - seconds * 1_000);
    await payWrongly(tools, draft, body, { api: api + 1, code, purpose: `refused/${row.name}` });
  },
});

export const refusedTerms: readonly Story[] = rows.map(storyOf);
