// Deliberate repeats of a message, and messages that only resemble an earlier one (DUP-1, DUP-2). A story
// sends such a lookalike only after the original is answered. The gateway has stored an answered message
// (PAY-2), so the rules determine the answer to the lookalike.
import type { OriginalPacs008 } from '../../../core/iso20022/build-pacs008.ts';
import { endingIn } from '../../../fixtures/endings.ts';
import type { Draft } from '../draft.ts';
import { acceptedAtFirst, acceptedSince, pay, payWrongly, statusOf, submission } from '../paying.ts';
import type { Random } from '../random.ts';
import type { Story, Tools } from '../tools.ts';
import { prepare, type Paid } from './payments.ts';

/**
 * Makes an accepted payment.
 * @returns undefined if the payment was not accepted or never answered
 */
async function prepaid(tools: Tools, random: Random, ending?: string): Promise<Paid | undefined> {
  const paid = await prepare(tools, random, ending);
  const { draft, body, api } = paid;
  const answer = await pay(tools, draft, body, { api });
  const status = statusOf(answer)?.status ?? 'RJCT';
  return status !== 'RJCT' && (await tools.rest(0)) ? paid : undefined;
}

/**
 * Sends the same bytes 2 to 20 times at once, to all apis. The gateway makes one payment, and all senders
 * finally get the same answer.
 */
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

/**
 * Repeats the same bytes long after the answer, usually after the final status, and sometimes with another
 * callback address (DUP-1).
 */
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

/** A source that enquires about a payment several times, with these pauses. */
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

/**
 * Enquires about once a second while the destination is silent. The gateway combines most of these into one
 * enquiry (DUP-1).
 */
const often = againAndAgain('repeat-often', 1, {
  ending: endingIn.silent,
  pauses: (random) => Array.from({ length: random.integer(3, 8) }, () => random.integer(500, 1_800)),
});

/**
 * Enquires every few seconds about an answered payment, like a sender that has lost its own record. The
 * gateway must answer even if other parts are down (DUP-1).
 */
const onAndOn = againAndAgain('repeat-on-and-on', 2.5, {
  ending: endingIn.creditedAtOnce,
  pauses: (random) => Array.from({ length: 6 }, () => random.integer(5_000, 9_000)),
});

/**
 * Repeats the payment during the delivery of its final status. The gateway must then deliver the final status
 * once more (DUP-1).
 */
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

/**
 * A message that resembles a repeat. The gateway refuses it in the HTTP answer and changes nothing else
 * (DUP-2).
 */
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
];

const lookalike = ({ name, code, changes }: Lookalike): Story => ({
  name: `repeat/${name}`,
  weight: 0.8,
  play: async (tools) => {
    const { random } = tools;
    const [fork, afterMs] = [random.fork(), random.weighted(gaps).ms];
    const which = random.chance(50) ? 'other' : 'usual'; // a lookalike must not change the callback address (DUP-2)
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

export const repeatStories: readonly Story[] = [
  atOnce,
  often,
  onAndOn,
  atTheFinal,
  later('repeat-later', 3, 'usual', [1, 4, 8, 20, 45, 90, 150]),
  later('repeat-elsewhere', 1.5, 'other', [0, 2, 10, 30, 60]),
  ...lookalikes.map(lookalike),
];
