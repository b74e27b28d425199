// Requests to resolve a proxy or to confirm an account (acmt.023). The stories cover confirmed, refused, late
// and missing answers, and repeated requests (RES-1, DUP-1). If an answer from a directory or a creditor
// agent is too late, the gateway answers with false and AB08 instead.
import { buildAcmt023, type OriginalAcmt023 } from '../../../fixtures/acmt023.ts';
import type { Expected } from '../../oracle/evidence.ts';
import { drawAccount, drawName } from '../people.ts';
import { insist } from '../paying.ts';
import type { Random } from '../random.ts';
import { ends, pspsOf } from '../scheme.ts';
import type { Answer, Request } from '../sender.ts';
import type { Story, Tools } from '../tools.ts';

/** The content of a request, without sender and receiver. */
type Question = Pick<OriginalAcmt023, 'account'> & Partial<OriginalAcmt023>;

interface Row {
  readonly name: string;
  readonly weight?: number;
  readonly expected: Expected;
  readonly asks: (random: Random, canaries: readonly string[]) => Question;
}

const found: Expected = { verdict: 'accepted', orCodes: ['AB08'] };
const refusedBy = (code: string): Expected => ({ verdict: 'accepted', orCodes: [code, 'AB08'] });
const unanswered: Expected = { verdict: 'rejected', code: 'AB08' };

const countries = [...new Set(ends.map(({ country }) => country))];

/** Draws an account at Lotus, a PSP that answers for its own accounts. */
const account =
  (ending?: string) =>
  (random: Random, canaries: readonly string[]): Question => {
    const country = random.pick(countries);
    const number = drawAccount(random, canaries, ending ?? `00${random.digits(2)}`);
    const creditorAgent = { bicfi: `LOTU${country}S0` };
    return { destinationCountry: country, creditorAgent, account: { otherId: number } };
  };

/** Draws a mobile number, which the directory of its country resolves. */
const proxy =
  (ending?: string) =>
  (random: Random): Question => {
    const id = `+65${random.digits(3)}0${ending ?? `00${random.digits(2)}`}`;
    const destinationCountry = random.pick(['SG', 'MY', 'TH', 'IN', 'ID']);
    return { destinationCountry, account: { proxy: { type: 'MBNO', id } } };
  };

/**
 * The kinds of requests. The last digits of an account or number select the answer
 * (docs/reference/sandbox.md).
 */
const rows: readonly Row[] = [
  { name: 'account', weight: 3, expected: found, asks: account() },
  { name: 'proxy', weight: 3, expected: found, asks: proxy() },
  { name: 'account-refused', expected: refusedBy('AC04'), asks: account('0402') },
  { name: 'proxy-refused', expected: refusedBy('BE23'), asks: proxy('0404') },
  { name: 'slow', expected: found, asks: account('0407') },
  { name: 'slow-directory', expected: found, asks: proxy('0407') },
  { name: 'silent', weight: 0.7, expected: unanswered, asks: account('0408') },
  { name: 'silent-directory', weight: 0.3, expected: unanswered, asks: proxy('0408') },
];

interface Drawn {
  readonly request: Request;
  /** Id of the client that sends the request. */
  readonly system: string;
}

function draw(tools: Tools, row: Row): Drawn {
  const { random, canaries } = tools;
  const { country, system } = random.pick(ends);
  const messageId = `ASK${random.hex(28)}`;
  const [api, verificationId, psp] = [
    random.integer(0, 7),
    `V-${random.hex(6)}`,
    random.pick(pspsOf(country)),
  ];
  const body = buildAcmt023({
    messageIdentification: messageId,
    creationDateTime: new Date().toISOString(),
    verificationId,
    destinationCountry: 'TH',
    assigner: { bicfi: psp },
    partyName: drawName(random, canaries),
    ...row.asks(random, canaries),
  });
  const address = encodeURIComponent(tools.callbackUrl(system, 'acmt024', 'usual'));
  const request: Request = {
    api,
    client: system,
    method: 'POST',
    path: `/iso20022/acmt023?acmt024Endpoint=${address}`,
    purpose: 'resolution',
    body,
    messageId,
    expected: row.expected,
  };
  return { request, system };
}

const ask = (tools: Tools, request: Request): Promise<Answer> =>
  insist(tools, request, {
    purpose: 'resolution-again',
    ...(request.expected === undefined ? {} : { expected: request.expected }),
  });

const storyOf = (row: Row): Story => ({
  name: `resolution/${row.name}`,
  weight: 0.4 * (row.weight ?? 1),
  play: async (tools) => {
    const { request, system } = draw(tools, row);
    await tools.ready(system);
    await ask(tools, request);
  },
});

const ordinary: Row = { name: 'ordinary', expected: found, asks: proxy() };

/**
 * Repeats the same bytes, both at once and after the answer. The gateway makes one resolution with one answer
 * (DUP-1).
 */
const repeats: Story = {
  name: 'resolution/repeats',
  weight: 0.8,
  play: async (tools) => {
    const { random } = tools;
    const [count, afterMs] = [random.integer(2, 6), random.integer(0, 30_000)];
    const { request, system } = draw(tools, ordinary);
    await tools.ready(system);
    const repeat = { ...request, purpose: 'resolution-repeat' };
    const others = Array.from({ length: count }, (_, index) => ({ ...repeat, api: request.api + index + 1 }));
    await Promise.all([ask(tools, request), ...others.map((one) => tools.send(one))]);
    if (await tools.rest(afterMs)) await tools.send(repeat);
  },
};

export const resolutionStories: readonly Story[] = [...rows.map(storyOf), repeats];
