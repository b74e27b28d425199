// Reports about payments from a party that may not report, or about a message that was never sent. The gateway must
// refuse them, record a security event, and decide nothing by them (PAY-8).
import { buildPacs002 } from '../../../core/iso20022/pacs002.ts';
import type { OriginalReferences } from '../../../core/iso20022/references.ts';
import { endingIn } from '../../../fixtures/endings.ts';
import type { Draft } from '../draft.ts';
import { swap, type Edit } from '../edits.ts';
import { pay, statusOf } from '../paying.ts';
import type { Random } from '../random.ts';
import { ends } from '../scheme.ts';
import type { Story, Tools } from '../tools.ts';
import { prepare } from './payments.ts';

interface Reporter {
  readonly name: string;
  readonly status: number;
  readonly weight?: number;
  /** Default: the destination. */
  readonly client?: (draft: Draft, random: Random) => string;
  readonly edit?: Edit;
  /** Default: the UETR of the payment. */
  readonly uetr?: (random: Random) => string;
  /** References to the reported message; default: a message that was never sent. Undefined if they cannot be read. */
  readonly original?: (tools: Tools, draft: Draft, api: number) => Promise<Original | undefined>;
}

type Original = Pick<OriginalReferences, 'messageIdentification'> & Partial<OriginalReferences>;

const reporters: readonly Reporter[] = [
  {
    name: 'by-another-system',
    status: 403,
    client: ({ corridor }, random) =>
      random.pick(ends.map(({ system }) => system).filter((one) => one !== corridor.destination.system)),
  },
  { name: 'by-its-own-source', status: 403, client: ({ corridor }) => corridor.source.system },
  { name: 'of-another-message', status: 409 },
  { name: 'of-no-payment', status: 404, uetr: (random) => random.uuid() },
  { name: 'not-valid', status: 422, edit: swap(/<TxSts>\w+<\/TxSts>/, '<TxSts>CREDITED</TxSts>') },
  { name: 'of-another-transaction', status: 409, weight: 2, original: ofAnotherTransaction },
];

/** Differences from the reported instruction. With any of them, the report is about another instruction (PAY-8). */
const differing: readonly Partial<OriginalReferences>[] = [
  { transactionId: 'TX-of-another' },
  { endToEndId: 'E2E-of-another' },
  { instructionId: 'I-of-another' },
];

/** The right MsgId, but another payment's value in one of the other ids. */
async function ofAnotherTransaction(tools: Tools, draft: Draft, api: number): Promise<Original | undefined> {
  const other = tools.random.pick(differing);
  const messageIdentification = await instructionId(tools, draft, api);
  if (messageIdentification === undefined) return undefined;
  const { instructionId: instrId, endToEndId, transactionId } = draft.values;
  return {
    messageIdentification,
    ...(instrId && { instructionId: instrId }),
    ...(endToEndId && { endToEndId }),
    ...(transactionId && { transactionId }),
    ...other,
  };
}

/** The MsgId of the instruction that the destination received; undefined if it cannot be read. */
async function instructionId(
  tools: Tools,
  { uetr, corridor }: Draft,
  api: number,
): Promise<string | undefined> {
  const record = await tools.send({
    api,
    client: corridor.destination.system,
    method: 'GET',
    path: `/payments/${uetr}`,
    uetr,
    purpose: 'evidence',
  });
  if (record.status !== 200) return undefined;
  const { messages } = JSON.parse(record.text) as {
    readonly messages: readonly {
      readonly message: string;
      readonly leg: string;
      readonly messageIdentification: string;
    }[];
  };
  return messages.find(({ message, leg }) => message.startsWith('pacs.008') && leg === 'destination')
    ?.messageIdentification;
}

const endings = [endingIn.rejected, endingIn.creditedLater, endingIn.creditedAtOnce, endingIn.silent];

const storyOf = ({ name, status, weight = 0.5, client, uetr, edit, original }: Reporter): Story => ({
  name: `report/${name}`,
  weight,
  play: async (tools) => {
    const { random } = tools;
    const [ending, said] = [random.pick(endings), random.pick(['ACCC', 'BLCK'] as const)];
    const [messageId, unsent] = [`REPORT${random.hex(26)}`, { messageIdentification: random.hex(32) }];
    const { draft, body, api } = await prepare(tools, random.fork(), ending);
    const reporter = client?.(draft, random) ?? draft.corridor.destination.system;
    const about = uetr?.(random) ?? draft.uetr;
    const answer = await pay(tools, draft, body, { api });
    if (statusOf(answer)?.status !== 'ACTC' || !(await tools.rest(0))) return;
    await tools.ready(reporter);
    const of = original === undefined ? unsent : await original(tools, draft, api);
    if (of === undefined) return;
    const report = buildPacs002({
      messageIdentification: messageId,
      creationDateTime: new Date(tools.now()).toISOString(),
      original: { messageNameId: 'pacs.008.001.13', uetr: about, ...of },
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

export const reportStories: readonly Story[] = reporters.map(storyOf);
