// Reports of payments by somebody who has none to give, or about a message that nobody was sent: refused, with a
// security event, and nothing is decided by them (PAY-8).
import { buildPacs002 } from '../../../core/iso20022/pacs002.ts';
import type { OriginalReferences } from '../../../core/iso20022/references.ts';
import { endingIn } from '../../../fixtures/endings.ts';
import { draftPayment, write, type Draft } from '../draft.ts';
import { swap, type Edit } from '../edits.ts';
import { instructionId } from '../look-after.ts';
import { drawAmount, drawCorridor, pay, statusOf } from '../paying.ts';
import type { Random } from '../random.ts';
import { ends } from '../scheme.ts';
import type { Story } from '../tools.ts';
import { quoteFor } from './payments.ts';

interface Reporter {
  readonly name: string;
  readonly status: number;
  readonly client: (draft: Draft, random: Random) => string;
  readonly edit?: Edit;
  /** Default: the payment's. */
  readonly uetr?: (random: Random) => string;
}

const reporters: readonly Reporter[] = [
  {
    name: 'by-another-system',
    status: 403,
    client: ({ corridor }, random) =>
      random.pick(ends.map(({ system }) => system).filter((one) => one !== corridor.destination.system)),
  },
  { name: 'by-its-own-source', status: 403, client: ({ corridor }) => corridor.source.system },
  { name: 'of-another-message', status: 409, client: ({ corridor }) => corridor.destination.system },
  {
    name: 'of-no-payment',
    status: 404,
    client: ({ corridor }) => corridor.destination.system,
    uetr: (random) => random.uuid(),
  },
  {
    name: 'not-valid',
    status: 422,
    client: ({ corridor }) => corridor.destination.system,
    edit: swap(/<TxSts>\w+<\/TxSts>/, '<TxSts>CREDITED</TxSts>'),
  },
];

const storyOf = ({ name, status, client, uetr, edit }: Reporter): Story => ({
  name: `report/${name}`,
  weight: 0.5,
  play: async (tools) => {
    const { random, canaries } = tools;
    const corridor = drawCorridor(random);
    const ending = random.pick([endingIn.rejected, endingIn.creditedLater, endingIn.creditedAtOnce]);
    const draft = draftPayment(random, canaries, { corridor, ending });
    const asked = drawAmount(random, corridor);
    const [api, reporter, said] = [
      random.integer(0, 7),
      client(draft, random),
      random.pick(['ACCC', 'BLCK'] as const),
    ];
    const about = uetr?.(random) ?? draft.uetr;
    const originalId = random.hex(32);
    const messageId = `REPORT${random.hex(26)}`;
    const quote = await quoteFor(tools, { draft, asked, api });
    await tools.ready(corridor.source.system);
    const answer = await pay(tools, draft, write(draft, quote, tools.now()), { api });
    if (statusOf(answer)?.status !== 'ACTC' || !(await tools.rest(0))) return;
    await tools.ready(reporter);
    const report = buildPacs002({
      messageIdentification: messageId,
      creationDateTime: new Date(tools.now()).toISOString(),
      original: { messageIdentification: originalId, messageNameId: 'pacs.008.001.13', uetr: about },
      status: said,
    });
    await tools.send({
      api: api + 1,
      client: reporter,
      method: 'POST',
      path: '/iso20022/pacs002',
      purpose: `report/${name}`,
      body: edit?.(report) ?? report,
      uetr: about,
      messageId,
      expected: { verdict: 'refused', status },
    });
  },
});

/** What differs from the instruction that is reported on: it is another one then (PAY-8). */
const others: readonly Partial<OriginalReferences>[] = [
  { transactionId: 'TX-of-another' },
  { endToEndId: 'E2E-of-another' },
  { instructionId: 'I-of-another' },
];

/** By the right operator, under the right MsgId; one of the payment's other ids is another's. */
const ofAnotherTransaction: Story = {
  name: 'report/of-another-transaction',
  weight: 2,
  play: async (tools) => {
    const { random, canaries } = tools;
    const corridor = drawCorridor(random);
    const ending = random.pick([endingIn.creditedLater, endingIn.silent, endingIn.creditedAtOnce]);
    const draft = draftPayment(random, canaries, { corridor, ending });
    const asked = drawAmount(random, corridor);
    const [api, said] = [random.integer(0, 7), random.pick(['ACCC', 'BLCK'] as const)];
    const [differing, messageId] = [random.pick(others), `REPORT${random.hex(26)}`];
    const quote = await quoteFor(tools, { draft, asked, api });
    await tools.ready(corridor.source.system);
    const answer = await pay(tools, draft, write(draft, quote, tools.now()), { api });
    if (statusOf(answer)?.status !== 'ACTC' || !(await tools.rest(0))) return;
    const originalId = await instructionId(tools, draft, api);
    if (originalId === undefined) return;
    const { uetr, values } = draft;
    const { instructionId: instrId, endToEndId, transactionId } = values;
    const body = buildPacs002({
      messageIdentification: messageId,
      creationDateTime: new Date(tools.now()).toISOString(),
      original: {
        messageIdentification: originalId,
        messageNameId: 'pacs.008.001.13',
        uetr,
        ...(instrId && { instructionId: instrId }),
        ...(endToEndId && { endToEndId }),
        ...(transactionId && { transactionId }),
        ...differing,
      },
      status: said,
    });
    await tools.send({
      api: api + 1,
      client: corridor.destination.system,
      method: 'POST',
      path: '/iso20022/pacs002',
      purpose: 'report/of-another-transaction',
      body,
      uetr,
      messageId,
      expected: { verdict: 'refused', status: 409 },
    });
  },
};

export const reportStories: readonly Story[] = [...reporters.map(storyOf), ofAnotherTransaction];
