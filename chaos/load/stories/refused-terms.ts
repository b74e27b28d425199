// Payments whose terms the rules refuse: quotes, amounts, agents, times (PAY-3 to PAY-6, TIM-4). Each would be accepted
// except for one fault, so this fault alone determines the code.
import type { AgentIdentification } from '../../../core/iso20022/parties.ts';
import { draftPayment, write, type Draft, type Wanted } from '../draft.ts';
import { swap, type Edit } from '../edits.ts';
import { oneUnitMore } from '../decimal.ts';
import { askQuotes, choose, drawAmount, drawCorridor, payWrongly } from '../paying.ts';
import type { Random } from '../random.ts';
import { corridors, endOf, leiOf } from '../scheme.ts';
import { termsOf, type Terms } from '../../../fixtures/instruction.ts';
import type { QuoteOnOffer } from '../../../fixtures/bodies.ts';
import type { OriginalPacs008 } from '../../../core/iso20022/build-pacs008.ts';
import { StoryEnded, type Story } from '../tools.ts';
import { drawOwnTerms, ownCorridor, ownTerms } from './payments.ts';

type Values = Partial<OriginalPacs008>;

/** A fault in a payment with a quote. */
interface WrongWithQuote {
  readonly name: string;
  readonly code: string;
  readonly weight?: number;
  /** Drawn before any request. */
  readonly wants?: (random: Random) => Partial<Wanted>;
  /** The PSP that requests the quote; default: the debtor agent. */
  readonly asker?: (draft: Draft) => string;
  readonly terms?: (terms: Terms, draft: Draft, random: Random) => Terms;
  readonly values?: (quote: QuoteOnOffer, draft: Draft) => Values;
  /** An edit of the bytes; the draft must then be plain. */
  readonly edit?: Edit;
  /** Age of the acceptance in seconds; negative: in the future. */
  readonly age?: (random: Random) => number;
}

const agent = (bicfi: string): AgentIdentification => ({ bicfi });
const lastDigitMoved = (rate: string) => rate.replace(/\d$/, (digit) => (digit === '1' ? '2' : '1'));

const withQuote: readonly WrongWithQuote[] = [
  {
    name: 'wrong-rate',
    code: 'AB04',
    terms: (terms) => ({ ...terms, rate: lastDigitMoved(terms.rate) }),
  },
  {
    name: 'wrong-amount',
    code: 'AM09',
    terms: (terms, { corridor }) => ({
      ...terms,
      source: { ...terms.source, amount: oneUnitMore(terms.source.amount, corridor.source.places) },
    }),
  },
  {
    name: 'wrong-fee',
    code: 'AM09',
    terms: (terms, { corridor }) => ({
      ...terms,
      fee: { ...terms.fee, amount: oneUnitMore(terms.fee.amount, corridor.destination.places) },
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
    wants: () => ({ corridor: ownCorridor, debtorPsp: 'LOTUSGS0' }),
    asker: () => 'BANYSGS0',
  },
  {
    name: 'quote-for-another-country',
    code: 'AB04',
    wants: () => ({ corridor: { source: ownCorridor.source, destination: euro('DE') } }),
    values: () => ({ creditorAgent: agent('LOTUFRS0') }),
  },
  {
    name: 'wrong-intermediary-account',
    code: 'RC11',
    values: (quote) => ({
      intermediaryAgent1: agent(quote.intermediaryAgent1.finInstId.BICFI),
      intermediaryAgent1Account: { otherId: `${quote.intermediaryAgent1Account.id}X` },
    }),
  },
  {
    name: 'wrong-second-account',
    code: 'RC11',
    values: (quote) => ({
      intermediaryAgent2: agent(quote.intermediaryAgent2.finInstId.BICFI),
      intermediaryAgent2Account: { otherId: `${quote.intermediaryAgent2Account.id}X` },
    }),
  },
  {
    name: 'wrong-first-agent',
    code: 'RC11',
    values: (_, { corridor }) => ({ intermediaryAgent1: agent(`LOTU${corridor.source.country}S0`) }),
  },
  {
    name: 'wrong-intermediary-agent',
    code: 'RC11',
    values: (_, { corridor }) => ({ intermediaryAgent2: agent(`LOTU${corridor.destination.country}S0`) }),
  },
  {
    name: 'unknown-creditor-agent',
    code: 'RC07',
    values: (_, { corridor }) => ({ creditorAgent: agent(`NONE${corridor.destination.country}S0`) }),
  },
  {
    name: 'creditor-agent-is-a-sap',
    code: 'RC07',
    wants: () => ({ corridor: ownCorridor }),
    values: () => ({ creditorAgent: agent('HARBTHS0') }),
  },
  {
    name: 'not-onboarded',
    code: 'AGNT',
    values: (_, { corridor: { destination } }) => ({
      creditorAgent:
        destination.country === 'MY' ? { otherId: 'MYFERN001' } : agent(`FERN${destination.country}S0`),
    }),
  },
  {
    name: 'creditor-agent-is-two',
    code: 'RC07',
    values: (_, { corridor: { source, destination } }) => ({
      creditorAgent: { bicfi: `LOTU${destination.country}S0`, lei: leiOf(`LOTU${source.country}S0`) },
    }),
  },
  {
    name: 'debtor-agent-is-two',
    code: 'AGNT',
    wants: () => ({ debtorPsp: 'LOTUSGS0', corridor: ownCorridor }),
    values: () => ({
      debtorAgent: {
        bicfi: 'LOTUSGS0',
        memberId: { clearingSystemId: 'SGDFAST', memberId: 'BANYSG01' },
      },
    }),
  },
  {
    name: 'debtor-agent-elsewhere',
    code: 'AGNT',
    values: (_, { corridor }) => ({
      debtorAgent: agent(corridor.source.country === 'SG' ? 'LOTUINS0' : 'LOTUSGS0'),
    }),
  },
  {
    name: 'no-purpose',
    code: 'CH21',
    wants: () => ({ corridor: { source: endOf('SG'), destination: endOf('MY') }, plain: true }),
    edit: swap(/<Purp>.*?<\/Purp>/, ''),
  },
  { name: 'stale', code: 'TM01', weight: 2, age: (random) => random.integer(125, 100_000) },
  {
    name: 'past-the-deadline',
    code: 'TM01',
    wants: () => ({ priority: 'HIGH' }),
    age: (random) => random.integer(27, 110),
  },
  { name: 'ahead', code: 'TM01', age: (random) => -random.integer(300, 100_000) },
  { name: 'a-little-ahead', code: 'TM01', age: (random) => -random.integer(75, 95) },
];

function euro(country: string) {
  const found = corridors.find(({ destination }) => destination.country === country);
  if (found === undefined) throw new Error(`no corridor to ${country}`);
  return found.destination;
}

function storyWithQuote(row: WrongWithQuote): Story {
  const { name, code, weight = 1, wants, asker, terms, values, edit, age } = row;
  return {
    name: `refused/${name}`,
    weight: 0.5 * weight,
    play: async (tools) => {
      const { random, canaries } = tools;
      const corridor = drawCorridor(random);
      const wanted = { corridor, priority: 'NORM', ...wants?.(random) } as const;
      const draft = draftPayment(random, canaries, wanted);
      const asked = drawAmount(random, wanted.corridor);
      const [api, seconds, fork] = [random.integer(0, 7), age?.(random) ?? 0, random.fork()];
      const psp = asker?.(draft) ?? draft.debtorPsp;
      const quote = choose(await askQuotes(tools, { corridor: wanted.corridor, psp, asked, api }), 0);
      await tools.ready(draft.corridor.source.system);
      const agreed = terms?.(termsOf(quote), draft, fork) ?? termsOf(quote);
      const body = write(draft, agreed, tools.now() - seconds * 1_000, values?.(quote, draft));
      await payWrongly(tools, draft, edit?.(body) ?? body, {
        api: api + 1,
        code,
        purpose: `refused/${name}`,
      });
    },
  };
}

/** A fault in a payment with own FX (PAY-5, PAY-6). */
interface WrongOnItsOwn {
  readonly name: string;
  readonly code: string;
  readonly debtorPsp?: string;
  readonly terms?: (terms: Terms) => Terms;
  readonly values?: Values;
}

const onItsOwn: readonly WrongOnItsOwn[] = [
  { name: 'too-big', code: 'AM02', terms: () => ownTerms('80000.01', '25') },
  {
    name: 'own-fee-wrong',
    code: 'AM09',
    terms: (terms) => ({ ...terms, fee: { ...terms.fee, amount: oneUnitMore(terms.fee.amount, 2) } }),
  },
  { name: 'nothing-left', code: 'AM06', terms: () => ownTerms('3', '25') },
  { name: 'account-of-another', code: 'RC11', debtorPsp: 'BANYSGS0' },
  {
    name: 'unknown-own-account',
    code: 'RC11',
    values: { intermediaryAgent2Account: { otherId: 'LOTU-TH-THB2' } },
  },
  { name: 'account-at-another', code: 'RC11', values: { intermediaryAgent2: agent('LOTUTHS0') } },
];

const storyOnItsOwn = ({ name, code, debtorPsp = 'LOTUSGS0', terms, values }: WrongOnItsOwn): Story => ({
  name: `refused/${name}`,
  weight: 0.5,
  play: async (tools) => {
    const { random, canaries } = tools;
    const wanted = { corridor: ownCorridor, debtorPsp, priority: 'NORM' } as const;
    const draft = draftPayment(random, canaries, wanted);
    const drawn = drawOwnTerms(random);
    const api = random.integer(0, 7);
    await tools.ready(ownCorridor.source.system);
    const body = write(draft, terms?.(drawn) ?? drawn, tools.now(), values);
    await payWrongly(tools, draft, body, { api, code, purpose: `refused/${name}` });
  },
});

/**
 * Uses a quote more than ten minutes after it was given. The load ages the stored row, so that the run need not wait
 * (QUO-6).
 */
const expiredQuote: Story = {
  name: 'refused/expired-quote',
  weight: 1,
  play: async (tools) => {
    const { random, canaries } = tools;
    const corridor = drawCorridor(random);
    const draft = draftPayment(random, canaries, { corridor, priority: 'NORM' });
    const asked = drawAmount(random, corridor);
    const [api, seconds] = [random.integer(0, 7), random.integer(601, 1_200)];
    const asking = { corridor, psp: draft.debtorPsp, asked, api, purpose: 'quote-to-expire' };
    const quote = choose(await askQuotes(tools, asking), 0);
    if (!(await tools.age('quote', quote.quoteId, seconds)))
      throw new StoryEnded('a quote cannot be made older');
    await tools.ready(corridor.source.system);
    const body = write(draft, quote, tools.now());
    await payWrongly(tools, draft, body, { api: api + 1, code: 'AB04', purpose: expiredQuote.name });
  },
};

export const refusedTerms: readonly Story[] = [
  ...withQuote.map(storyWithQuote),
  ...onItsOwn.map(storyOnItsOwn),
  expiredQuote,
];
