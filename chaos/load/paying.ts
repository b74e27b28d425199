// The steps that all stories of payments share: ask for quotes, submit, repeat until an answer comes, and
// read the answer.
import type { Expected } from '../oracle/evidence.ts';
import type { QuoteOnOffer, QuoteSet } from '../../fixtures/bodies.ts';
import { endingIn } from '../../fixtures/endings.ts';
import type { Draft } from './draft.ts';
import type { Random } from './random.ts';
import { corridors, worth, type Corridor } from './scheme.ts';
import { isPassing, without, type Answer, type Request } from './sender.ts';
import { StoryEnded, type Tools } from './tools.ts';

/**
 * Corridors of the scheme's example and of its special cases. The load draws them more often than the others.
 */
const wellTrodden = ['SG-SGD>TH-THB', 'SG-SGD>MY-MYR', 'SG-SGD>ID-IDR', 'JP-JPY>SG-SGD', 'HK-CNY>DE-EUR'];
const nameOf = ({ source, destination }: Corridor) =>
  `${source.country}-${source.currency}>${destination.country}-${destination.currency}`;
const beaten = corridors.filter((one) => wellTrodden.includes(nameOf(one)));

export const drawCorridor = (random: Random): Corridor => random.pick(random.chance(35) ? beaten : corridors);

/**
 * An amount in the source or destination currency. The draw covers small amounts, each tier, and amounts
 * above a maximum, which the gateway caps (QUO-4).
 */
export interface Asked {
  readonly currency: string;
  readonly amount: string;
}

export function drawAmount(random: Random, { source, destination }: Corridor): Asked {
  const dollars = random.weighted([
    { weight: 60, from: 30, to: 900 },
    { weight: 20, from: 1_000, to: 1_300 },
    { weight: 10, from: 10_000, to: 12_000 },
    { weight: 10, from: 50_000, to: 90_000 },
  ]);
  const end = random.chance(60) ? source : destination;
  const cents = random.integer(0, 99).toString().padStart(2, '0');
  const amount = `${random.integer(dollars.from, dollars.to)}.${cents}`;
  return { currency: end.currency, amount: worth(amount, end) };
}

interface Patience {
  readonly purpose: string;
  readonly expected?: Expected;
  readonly prefer?: string;
  /** Milliseconds after the first attempt during which another attempt may start. */
  readonly forMs?: number;
}

/** Patience for payments that must be accepted. */
const patientMs = 90_000;
/**
 * Patience for payments that must be refused. It ends before the payment is too old, even after the longest
 * wait for an answer. A payment that is too old would be refused for another reason (TIM-4).
 */
const shortPatienceMs = 60_000;

const firstPauseMs = 1_000;
const longestPauseMs = 16_000;

/**
 * Sends a request and repeats it as patiently as a real sender. After a missing or temporary answer
 * (`isPassing`), it sends the same bytes to the next api. It stops at a final answer or when its patience is
 * over. By DUP-1 the repeats are enquiries and change no outcome.
 * @returns the last answer
 */
export async function insist(tools: Tools, first: Request, again: Patience): Promise<Answer> {
  const { forMs = patientMs, purpose, prefer, expected } = again;
  const until = Date.now() + forMs;
  let answer = await tools.send(first);
  const repeat = {
    ...without(first, 'expected', 'prefer', 'hangUpAfterMs'),
    purpose,
    ...(prefer === undefined ? {} : { prefer }),
    ...(expected === undefined ? {} : { expected }),
  };
  let pauseMs = firstPauseMs;
  for (let turn = 1; isPassing(answer.status) && Date.now() + pauseMs <= until; turn += 1) {
    await tools.pause(pauseMs);
    pauseMs = Math.min(2 * pauseMs, longestPauseMs);
    answer = await tools.send({ ...repeat, api: first.api + turn });
  }
  return answer;
}

/**
 * Asks for quotes as a PSP.
 * @throws StoryEnded if there are none
 */
export async function askQuotes(
  tools: Tools,
  asking: {
    readonly corridor: Corridor;
    readonly psp: string;
    readonly asked: Asked;
    readonly api: number;
    /** The default is `quote`. */
    readonly purpose?: string;
  },
): Promise<readonly QuoteOnOffer[]> {
  const { corridor, psp, asked, api, purpose = 'quote' } = asking;
  const { source, destination } = corridor;
  const path = `/quotes/${source.country}/${source.currency}/${destination.country}/${destination.currency}/${asked.currency}/${asked.amount}?finInstIdType=BICFI&finInstId=${psp}`;
  const expected: Expected = { verdict: 'answered', rule: 'QUO-1' };
  const question: Request = { api, client: psp, method: 'GET', path, purpose, expected };
  const answer = await insist(tools, question, { purpose, expected, forMs: 30_000 });
  if (answer.status !== 200) throw new StoryEnded(`no quotes: HTTP ${answer.status}`);
  const { quotes } = JSON.parse(answer.text) as QuoteSet;
  if (quotes.length === 0) throw new StoryEnded('no quote');
  return quotes;
}

/**
 * Chooses one of the quotes on offer: the best one for 70 % of all choices.
 * @param choice 0 to 99, drawn before the quotes were requested
 */
export function choose(quotes: readonly QuoteOnOffer[], choice: number): QuoteOnOffer {
  const chosen = choice < 70 ? quotes[0] : quotes[choice % quotes.length];
  if (chosen === undefined) throw new StoryEnded('no quote');
  return chosen;
}

/** Returns the reason codes with which a correct payment may still end as RJCT. */
function codesOfEnds({ priority, ending }: Draft): readonly string[] {
  const ofDestination = ending === endingIn.rejected || ending === endingIn.contradicting ? ['AC04'] : [];
  return [...ofDestination, priority === 'HIGH' ? 'AB03' : 'ED06'];
}

type Accepted = Extract<Expected, { verdict: 'accepted' }>;

/**
 * Returns the expected answer to a first submission. A delayed HIGH payment may arrive after its deadline
 * (TIM-1).
 */
export function acceptedAtFirst(draft: Draft, waits: boolean): Accepted {
  const late = draft.priority === 'HIGH' ? ['AB03', 'TM01'] : [];
  const codes = new Set([...late, ...(waits ? codesOfEnds(draft) : [])]);
  return { verdict: 'accepted', orCodes: [...codes] };
}

/**
 * Returns the expected answer to a repeat of a submission that was answered. The gateway has stored those
 * bytes, so they can no longer be too old (DUP-1).
 */
export function acceptedSince(draft: Draft): Accepted {
  return { verdict: 'accepted', orCodes: codesOfEnds(draft) };
}

/**
 * Returns the expected answer to a repeat if the first submission may not have arrived. The repeat may then
 * be too old (TIM-4).
 */
function acceptedAgain(draft: Draft): Accepted {
  return { verdict: 'accepted', orCodes: [...new Set([...codesOfEnds(draft), 'TM01', 'AB03'])] };
}

export interface HowToSubmit {
  readonly api: number;
  readonly purpose?: string;
  readonly prefer?: string;
  readonly hangUpAfterMs?: number;
  readonly which?: 'usual' | 'other';
  readonly expected?: Expected;
}

const pathOf = (tools: Tools, system: string, which: 'usual' | 'other' = 'usual') =>
  `/iso20022/pacs008?pacs002Endpoint=${encodeURIComponent(tools.callbackUrl(system, 'pacs002', which))}`;

/** Builds the request with which the source operator submits a payment. */
export function submission(tools: Tools, draft: Draft, body: string, how: HowToSubmit): Request {
  const { uetr, messageId, corridor } = draft;
  const { api, purpose = 'payment', which } = how;
  return {
    api,
    client: corridor.source.system,
    method: 'POST',
    path: pathOf(tools, corridor.source.system, which),
    purpose,
    body,
    uetr,
    messageId,
    expected: how.expected ?? acceptedAtFirst(draft, how.prefer !== undefined),
    ...(how.prefer === undefined ? {} : { prefer: how.prefer }),
    ...(how.hangUpAfterMs === undefined ? {} : { hangUpAfterMs: how.hangUpAfterMs }),
  };
}

/**
 * Submits a payment as patiently as a real operator. The gateway must accept the payment, or refuse it with
 * one of `orCodes`.
 */
export function pay(
  tools: Tools,
  draft: Draft,
  body: string,
  { orCodes = [], ...how }: HowToSubmit & { readonly orCodes?: readonly string[] },
): Promise<Answer> {
  const also = (expected: Accepted): Accepted => ({
    ...expected,
    orCodes: [...(expected.orCodes ?? []), ...orCodes],
  });
  const expected = also(acceptedAtFirst(draft, how.prefer !== undefined));
  return insist(tools, submission(tools, draft, body, { ...how, expected }), {
    purpose: 'payment-again',
    expected: also(acceptedAgain(draft)),
  });
}

/** Submits a payment that the gateway must refuse with `how.code`. */
export function payWrongly(
  tools: Tools,
  draft: Draft,
  body: string,
  how: Omit<HowToSubmit, 'expected'> & { readonly code: string; readonly purpose: string },
): Promise<Answer> {
  const expected: Expected = { verdict: 'rejected', code: how.code };
  return insist(tools, submission(tools, draft, body, { ...how, expected }), {
    purpose: `${how.purpose}-again`,
    expected,
    forMs: shortPatienceMs,
  });
}

/** Reads TxSts and the reason of a pacs.002; undefined for any other answer. */
export function statusOf({ status, text }: Answer): { status: string; code: string | undefined } | undefined {
  if (status !== 200) return undefined;
  const found = /<TxSts>([A-Z]{4})<\/TxSts>/.exec(text)?.[1];
  return found === undefined ? undefined : { status: found, code: /<Rsn><Cd>(\w+)</.exec(text)?.[1] };
}
