// Reports about payments, sent by a party that may not report or about a message that was never sent. The
// gateway must refuse each report, and it must not decide the payment (PAY-8).
import { buildPacs002 } from '../../../core/iso20022/pacs002.ts';
import { endingIn } from '../../../fixtures/endings.ts';
import type { Draft } from '../draft.ts';
import { pay, statusOf } from '../paying.ts';
import type { Random } from '../random.ts';
import { ends } from '../scheme.ts';
import type { Story } from '../tools.ts';
import { prepare } from './payments.ts';

interface Reporter {
  readonly name: string;
  readonly status: number;
  readonly client: (draft: Draft, random: Random) => string;
}

const reporters: readonly Reporter[] = [
  {
    name: 'by-another-system',
    status: 403,
    client: ({ corridor }, random) =>
      random.pick(ends.map(({ system }) => system).filter((one) => one !== corridor.destination.system)),
  },
  { name: 'of-another-message', status: 409, client: ({ corridor }) => corridor.destination.system },
];

const endings = [endingIn.rejected, endingIn.creditedLater, endingIn.creditedAtOnce, endingIn.silent];

const storyOf = ({ name, status, client }: Reporter): Story => ({
  name: `report/${name}`,
  weight: 0.5,
  play: async (tools) => {
    const { random } = tools;
    const [ending, said] = [random.pick(endings), random.pick(['ACCC', 'BLCK'] as const)];
    const [messageId, unsent] = [`REPORT${random.hex(26)}`, random.hex(32)];
    const { draft, body, api } = await prepare(tools, random.fork(), ending);
    const { uetr } = draft;
    const reporter = client(draft, random);
    const answer = await pay(tools, draft, body, { api });
    if (statusOf(answer)?.status !== 'ACTC' || !(await tools.rest(0))) return;
    await tools.ready(reporter);
    await tools.send({
      api: api + 1,
      client: reporter,
      method: 'POST',
      path: '/iso20022/pacs002',
      purpose: `report/${name}`,
      body: buildPacs002({
        messageIdentification: messageId,
        creationDateTime: new Date().toISOString(),
        original: { messageNameId: 'pacs.008.001.13', uetr, messageIdentification: unsent },
        status: said,
      }),
      uetr,
      messageId,
      expected: { verdict: 'refused', status },
    });
  },
});

export const reportStories: readonly Story[] = reporters.map(storyOf);
