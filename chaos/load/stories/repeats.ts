// The same message again, on purpose, and messages that only look like it (DUP-1, DUP-2). What looks like a repeat is
// sent only once the first has its answer: an answered message is stored (PAY-2), so that the rules fix what the other
// must be told.
import type { OriginalPacs008 } from '../../../core/iso20022/build-pacs008.ts';
import { endingIn } from '../../../fixtures/endings.ts';
import { draftPayment, write, type Draft } from '../draft.ts';
import {
  acceptedAtFirst,
  acceptedSince,
  drawAmount,
  drawCorridor,
  pay,
  payWrongly,
  statusOf,
  submission,
} from '../paying.ts';
import type { Random } from '../random.ts';
import type { Story, Tools } from '../tools.ts';
import { prepare, quoteFor, type Paid } from './payments.ts';

/** One that is accepted. @returns undefined when it is not, or never answered */
async function prepaid(tools: Tools, random: Random, ending?: string): Promise<Paid | undefined> {
  const paid = await prepare(tools, random, ending);
  const { draft, body, api } = paid;
  const answer = await pay(tools, draft, body, { api });
  const status = statusOf(answer)?.status ?? 'RJCT';
  return status !== 'RJCT' && (await tools.rest(0)) ? paid : undefined;
}

/** The same bytes 2 to 20 times at once, at every api: one payment, and all are told the same in the end. */
const atOnce: Story = {
  name: 'repeats-at-once',
  weight: 3,
  play: async (tools) => {
    const { random } = tools;
    const [count, waits] = [random.weighted(crowds).count, random.chance(30)];
    const { draft, body, api } = await prepare(tools, random.fork());
    const prefer = waits ? { prefer: 'wait=5' } : {};
    const repeat = (index: number) =>
      tools.send(
        submission(tools, draft, body, {
          api: api + index,
          purpose: 'repeat-at-once',
          expected: acceptedAtFirst(draft, true),
          ...prefer,
        }),
      );
    await Promise.all([
      pay(tools, draft, body, { api, ...prefer }),
      ...Array.from({ length: count - 1 }, (_, index) => repeat(index + 1)),
    ]);
  },
};

const crowds = [
  { weight: 50, count: 2 },
  { weight: 30, count: 3 },
  { weight: 15, count: 8 },
  { weight: 5, count: 20 },
];

/** The same bytes again, long after they were answered, mostly after the final; perhaps to another address (DUP-1). */
const later = (
  name: string,
  weight: number,
  which: 'usual' | 'other',
  seconds: readonly number[],
): Story => ({
  name,
  weight,
  play: async (tools) => {
    const { random } = tools;
    const afterMs = random.pick(seconds) * 1_000 + random.integer(0, 999);
    const prefer = random.chance(30) ? { prefer: 'wait=3' } : {};
    const paid = await prepaid(tools, random.fork());
    if (paid === undefined || !(await tools.rest(afterMs))) return;
    const { draft, body, api } = paid;
    const expected = acceptedSince(draft);
    await tools.send(
      submission(tools, draft, body, { api: api + 1, purpose: name, which, expected, ...prefer }),
    );
  },
});

/** A source that asks again and again how a payment stands, with these pauses. */
const againAndAgain = (
  name: string,
  weight: number,
  { ending, pauses }: { readonly ending: string; readonly pauses: (random: Random) => readonly number[] },
): Story => ({
  name,
  weight,
  play: async (tools) => {
    const { random } = tools;
    const pausesMs = pauses(random);
    const paid = await prepaid(tools, random.fork(), ending);
    if (paid === undefined) return;
    const { draft, body, api } = paid;
    const expected = acceptedSince(draft);
    for (const [index, pauseMs] of pausesMs.entries()) {
      if (!(await tools.rest(pauseMs))) return;
      await tools.send(submission(tools, draft, body, { api: api + index, purpose: name, expected }));
    }
  },
});

/** Every second, where its destination says nothing: most of it joins one enquiry (DUP-1). */
const often = againAndAgain('repeat-often', 1, {
  ending: endingIn.silent,
  pauses: (random) => Array.from({ length: random.integer(3, 8) }, () => random.integer(500, 1_800)),
});

/**
 * Every few seconds for what it was told, as one does whose own record was lost: whatever else is away, it is answered
 * (DUP-1).
 */
const onAndOn = againAndAgain('repeat-on-and-on', 2.5, {
  ending: endingIn.creditedAtOnce,
  pauses: (random) => Array.from({ length: 6 }, () => random.integer(5_000, 9_000)),
});

/** Asked again in the moment in which the final is being told: it is told once more after that (DUP-1). */
const atTheFinal: Story = {
  name: 'repeat-at-the-final',
  weight: 2,
  play: async (tools) => {
    const { random } = tools;
    const afterMs = random.integer(20, 700);
    const { draft, body, api } = await prepare(tools, random.fork());
    const answer = await pay(tools, draft, body, { api, prefer: 'wait=20' });
    const isOver = ['ACCC', 'BLCK'].includes(statusOf(answer)?.status ?? '');
    if (!isOver || !(await tools.rest(afterMs))) return;
    const expected = acceptedSince(draft);
    await tools.send(
      submission(tools, draft, body, { api: api + 1, purpose: 'repeat-at-the-final', expected }),
    );
  },
};

/** What looks like a repeat, and is refused by the HTTP answer alone (DUP-2). */
interface Lookalike {
  readonly name: string;
  readonly code: 'DUPL' | 'DU01';
  readonly changes: (random: Random, draft: Draft) => Partial<OriginalPacs008>;
}

const lookalikes: readonly Lookalike[] = [
  {
    name: 'same-uetr',
    code: 'DUPL',
    changes: (random) => ({ messageIdentification: `OTHER${random.hex(28)}` }),
  },
  { name: 'same-message-id', code: 'DU01', changes: (random) => ({ uetr: random.uuid() }) },
  {
    name: 'other-content',
    code: 'DUPL',
    changes: (_, { values }) => ({
      creditor: { ...values.creditor, name: `${values.creditor?.name ?? ''}.` },
    }),
  },
  {
    name: 'other-account',
    code: 'DUPL',
    changes: (random, { ending }) => ({ creditorAccount: { otherId: `9${random.digits(6)}${ending}` } }),
  },
  {
    name: 'other-end-to-end-id',
    code: 'DUPL',
    changes: (random) => ({ endToEndId: `E2E-${random.hex(4)}` }),
  },
];

const lookalike = ({ name, code, changes }: Lookalike): Story => ({
  name: `repeat/${name}`,
  weight: 0.8,
  play: async (tools) => {
    const { random } = tools;
    const [fork, afterMs] = [random.fork(), random.weighted(gaps).ms];
    const which = random.chance(50) ? 'other' : 'usual'; // it names no address for the payment (DUP-2)
    const paid = await prepaid(tools, random.fork());
    if (paid === undefined || !(await tools.rest(afterMs))) return;
    const { draft, api, rewrite } = paid;
    const other = changes(fork, draft);
    const ids = { uetr: other.uetr ?? draft.uetr, messageId: other.messageIdentification ?? draft.messageId };
    const purpose = `repeat/${name}`;
    await payWrongly(tools, { ...draft, ...ids }, rewrite(other), { api: api + 1, code, purpose, which });
  },
});

const gaps = [
  { weight: 60, ms: 0 },
  { weight: 30, ms: 3_000 },
  { weight: 10, ms: 40_000 },
];

/**
 * The ids of another source's payment. A MsgId is its sender's own, so that another may have the same; a UETR is
 * everybody's (DUP-2).
 */
const ofAnother = (name: 'uetr-of-another' | 'message-id-of-another', weight: number): Story => ({
  name: `repeat/${name}`,
  weight,
  play: async (tools) => {
    const { random, canaries } = tools;
    const first = random.fork();
    const corridor = drawCorridor(random);
    const drawn = draftPayment(random, canaries, { corridor });
    const [asked, api] = [drawAmount(random, corridor), random.integer(0, 7)];
    const paid = await prepaid(tools, first);
    if (paid === undefined || paid.draft.corridor.source.system === corridor.source.system) return;
    const { uetr, messageId } = paid.draft;
    const draft: Draft =
      name === 'uetr-of-another'
        ? { ...drawn, uetr, values: { ...drawn.values, uetr } }
        : { ...drawn, messageId, values: { ...drawn.values, messageIdentification: messageId } };
    const quote = await quoteFor(tools, { draft, asked, api });
    await tools.ready(corridor.source.system);
    const body = write(draft, quote, tools.now());
    const how = { api, purpose: `repeat/${name}` };
    if (name === 'uetr-of-another') await payWrongly(tools, draft, body, { ...how, code: 'DUPL' });
    else await pay(tools, draft, body, how);
  },
});

/** A MsgId counts for 62 days: 61 of them have passed (DUP-2). */
const usedLongAgo: Story = {
  name: 'repeat/message-id-of-long-ago',
  weight: 0.8,
  play: async (tools) => {
    const { random } = tools;
    const uetr = random.uuid();
    const paid = await prepaid(tools, random.fork());
    if (paid === undefined || !(await tools.age('message-id', paid.draft.messageId, 61 * 86_400))) return;
    const { draft, api, rewrite } = paid;
    const how = { api: api + 1, code: 'DU01', purpose: usedLongAgo.name };
    await payWrongly(tools, { ...draft, uetr }, rewrite({ uetr }), how);
  },
};

export const repeatStories: readonly Story[] = [
  atOnce,
  often,
  onAndOn,
  atTheFinal,
  later('repeat-later', 3, 'usual', [1, 4, 8, 20, 45, 90, 150]),
  later('repeat-elsewhere', 1.5, 'other', [0, 2, 10, 30, 60]),
  ...lookalikes.map(lookalike),
  ofAnother('uetr-of-another', 1),
  ofAnother('message-id-of-another', 1),
  usedLongAgo,
];
