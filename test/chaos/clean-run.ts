// A small run without faults on real parts, and its evidence: two dozen payments and resolutions of every kind, with
// all that their senders saw. The oracle is tested on it: as it is, and altered (altered.ts).
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gather } from '../../chaos/gather.ts';
import type { Exchange, Expected, RunRecord } from '../../chaos/oracle/evidence.ts';
import { buildPacs008, type OriginalPacs008 } from '../../core/iso20022/build-pacs008.ts';
import { toLine, type JournalEntry } from '../../sandbox/journal-file.ts';
import type { QuoteOnOffer, QuoteSet } from '../../fixtures/bodies.ts';
import { endingIn, type Ending } from '../../fixtures/endings.ts';
import type { TestGateway } from '../harness/gateway.ts';
import { instruction, newMessageId, ownExchange, type Changes } from '../../fixtures/instruction.ts';
import { accountRequest, proxyRequest } from '../harness/asker.ts';
import { buildAcmt023 } from '../../fixtures/acmt023.ts';

export interface CleanRun {
  readonly gateway: TestGateway;
  /** Lines of the processes' logs. */
  readonly log: readonly string[];
  /** Of the operator of the Philippines, whose address refuses connections. */
  readonly folder: string;
  /** Whether to wait for what takes a minute: the first enquiry of TIM-2, and the end of an unreachable payment. */
  readonly whole: boolean;
}

type Sent = Pick<Exchange, 'status' | 'responseBody'>;

interface Posting {
  readonly client: string;
  readonly purpose: string;
  readonly expected?: Expected;
  readonly prefer?: string;
  readonly uetr?: string;
  readonly messageId?: string;
  readonly contentType?: string;
}

/** Sends as the clients do, and keeps what they saw. */
function recorder(gateway: TestGateway) {
  const exchanges: Exchange[] = [];
  async function exchange(method: 'GET' | 'POST', path: string, how: Posting, body?: string): Promise<Sent> {
    const { client, contentType = 'application/xml', ...told } = how;
    const token = await gateway.token(client);
    const sentAt = new Date().toISOString();
    const response = await fetch(`${gateway.url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': contentType }),
        ...(how.prefer === undefined ? {} : { prefer: how.prefer }),
      },
      ...(body === undefined ? {} : { body }),
    });
    const responseBody = await response.text();
    const headers: Record<string, string> = {};
    for (const name of [
      'content-type',
      'isthmus-rejection',
      'isthmus-quotes-expire',
      'preference-applied',
      'retry-after',
      'location',
    ]) {
      const value = response.headers.get(name);
      if (value !== null) headers[name] = value;
    }
    exchanges.push({
      sentAt,
      endedAt: new Date().toISOString(),
      api: 'api-1',
      client,
      method,
      path,
      ...told,
      ...(body === undefined ? {} : { requestBody: body }),
      status: response.status,
      responseBody,
      headers,
    });
    return { status: response.status, responseBody };
  }
  return { exchanges, exchange };
}

const accepted: Expected = { verdict: 'accepted' };
const rejected = (code: string): Expected => ({ verdict: 'rejected', code });

/** Plays everything, waits until it has settled, and writes the evidence. */
export async function recordCleanRun({ gateway, log, folder, whole }: CleanRun): Promise<void> {
  const { sandbox } = gateway;
  const { journal } = sandbox;
  const { exchanges, exchange } = recorder(gateway);
  const startedAt = new Date().toISOString();
  const entries: JournalEntry[] = [...journal.entries()];
  journal.subscribe((entry) => entries.push(entry));

  const pacs008Path = (client: string, extra = '') =>
    `/iso20022/pacs008?pacs002Endpoint=${encodeURIComponent(sandbox.callbackUrl(client) + extra)}`;
  const quotes = async (path: string, psp: string): Promise<readonly QuoteOnOffer[]> => {
    const { responseBody = '' } = await exchange(
      'GET',
      `/quotes/${path}?finInstIdType=BICFI&finInstId=${psp}`,
      { client: psp, purpose: 'quotes' },
    );
    return (JSON.parse(responseBody) as QuoteSet).quotes;
  };
  const quote = async (path = 'SG/SGD/TH/THB/SGD/1000', psp = 'LOTUSGS0'): Promise<QuoteOnOffer> => {
    const [best] = await quotes(path, psp);
    if (best === undefined) throw new Error('no quote');
    return best;
  };
  const send = async (message: OriginalPacs008, how: Partial<Posting> & { readonly extra?: string } = {}) => {
    const { extra, client = message.clearingSystemId, purpose = 'payment', ...rest } = how;
    const { uetr, messageIdentification: messageId } = message;
    return exchange(
      'POST',
      pacs008Path(client, extra),
      { client, purpose, uetr, messageId, ...rest },
      buildPacs008(message),
    );
  };
  const pay = async (
    ending: Ending,
    changes: Changes = {},
    how: Partial<Posting> = {},
  ): Promise<OriginalPacs008> => {
    const message = instruction(await quote(), {
      ending,
      remittanceInformation: 'Invoice 118 of Canary Tan',
      ...changes,
    });
    await send(message, { expected: accepted, ...how });
    return message;
  };

  // what FX providers post
  const fxp = { client: 'MERISGS0', contentType: 'application/json' };
  await exchange(
    'POST',
    '/api/v1/rates',
    { ...fxp, purpose: 'rate' },
    JSON.stringify({
      sourceCountry: 'SG',
      sourceCurrency: 'SGD',
      destinationCountry: 'TH',
      destinationCurrency: 'THB',
      rate: '25.1234567',
    }),
  );
  await exchange(
    'POST',
    '/api/v1/tier_improvements',
    { ...fxp, purpose: 'tier' },
    JSON.stringify({ unitCurrency: 'SGD', threshold: '750', improvementBasisPoints: '7.5' }),
  );
  await exchange(
    'POST',
    '/api/v1/psp_improvements',
    { ...fxp, purpose: 'psp' },
    JSON.stringify({ pspIdType: 'BICFI', pspId: 'LOTUSGS0', improvementBasisPoints: '3.5' }),
  );
  // what is asked and never paid: both directions, capped, another PSP, without fees
  await quotes('SG/SGD/TH/THB/THB/24900', 'LOTUSGS0');
  await quotes('SG/SGD/TH/THB/SGD/900000', 'LOTUSGS0');
  await quotes('SG/SGD/ID/IDR/SGD/123.45', 'BANYSGS0');
  await quotes('JP/JPY/SG/SGD/SGD/777.77', 'LOTUJPS0');
  const withoutFees = '/api/v1/quotes/SG/SGD/TH/THB/?amt=700000&amtCcy=SGD&pspId=LOTUSGS0';
  await exchange('GET', withoutFees, { client: 'LOTUSGS0', purpose: 'quotes' });
  const given = '/fees-and-amounts/SG/SGD/TH/THB/THB/24900/25.5';
  await exchange('GET', given, { client: 'LOTUSGS0', purpose: 'fees' });

  // payments of every ending
  const later = await pay(endingIn.creditedLater);
  await pay(endingIn.creditedAtOnce, {}, { prefer: 'wait=10' });
  await pay(endingIn.rejected, {}, { prefer: 'wait=10' });
  await pay(endingIn.blocked);
  await pay(endingIn.cut);
  await pay(endingIn.refusing);
  await pay(endingIn.repeating);
  await pay(endingIn.contradicting);
  await pay(endingIn.interim);
  const silent = await pay(endingIn.silent);
  await pay(endingIn.silent, { priority: 'HIGH' });
  await pay(endingIn.tooLate, { priority: 'HIGH' });
  await pay(endingIn.creditedAtOnce, { priority: 'HIGH' });
  const own = instruction(ownExchange(), { ending: endingIn.creditedAtOnce });
  await send(own, { expected: accepted });
  const yen = instruction(await quote('SG/SGD/JP/JPY/SGD/250.25', 'BANYSGS0'), {
    ending: endingIn.creditedAtOnce,
    debtorAgent: { bicfi: 'BANYSGS0' },
    instructedAmount: { currency: 'SGD', amount: '251.00' },
  });
  await send(yen, { expected: accepted });
  const hongKong = instruction(await quote('HK/HKD/DE/EUR/HKD/5000', 'LOTUHKS0'), {
    ending: endingIn.creditedAtOnce,
  });
  await send(hongKong, { expected: accepted });
  // to an operator that cannot be reached
  const unreached = instruction(await quote('SG/SGD/PH/PHP/SGD/100'), { ending: endingIn.creditedAtOnce });
  await send(unreached, { expected: accepted });

  // repeats, and what is refused
  await journal.waitFor((one) => one.uetr === later.uetr && one.party.startsWith('source/'), 60_000);
  await send(later, { purpose: 'repeat', extra: '?again=1', expected: accepted });
  await send(silent, { purpose: 'repeat', expected: accepted });
  await send(
    { ...later, messageIdentification: newMessageId() },
    { purpose: 'other-msgid', expected: rejected('DUPL') },
  );
  await send({ ...later, endToEndId: 'OTHER' }, { purpose: 'other-content', expected: rejected('DUPL') });
  const reused = instruction(await quote(), { messageIdentification: later.messageIdentification });
  await send(reused, { purpose: 'other-uetr', expected: rejected('DU01') });
  const usedQuote = instruction(ownExchange(), { agreedRate: later.agreedRate });
  await send(
    {
      ...usedQuote,
      interbankSettlementAmount: later.interbankSettlementAmount,
      charges: later.charges,
      intermediaryAgent2: undefined as never,
      intermediaryAgent2Account: undefined as never,
    },
    { purpose: 'quote-used', expected: rejected('AB04') },
  );
  const wrongAmount = instruction(await quote(), {
    interbankSettlementAmount: { currency: 'SGD', amount: '999.99' },
  });
  await send(wrongAmount, { purpose: 'wrong-amount', expected: rejected('AM09') });
  const old = instruction(await quote(), {
    acceptanceDateTime: new Date(Date.now() - 300_000).toISOString(),
  });
  await send(old, { purpose: 'too-old', expected: rejected('TM01') });
  await exchange(
    'POST',
    pacs008Path('SGDFAST'),
    { client: 'SGDFAST', purpose: 'not-xml', expected: { verdict: 'refused', status: 400 } },
    'Canary Tan is no message',
  );

  // callbacks that fail at first, and one that nobody takes
  sandbox.source.refuse({ status: 503, times: 2 });
  await pay(endingIn.creditedAtOnce);
  let refused = 0;
  await journal.waitFor((one) => one.party === 'refused' && ++refused === 2, 60_000);
  sandbox.source.refuse({ status: 410, times: 1 });
  await pay(endingIn.rejected);
  await journal.waitFor((one) => one.party === 'refused' && one.httpStatus === 410, 60_000);

  // resolutions
  const ask = (xml: string, client: string, messageId: string, purpose = 'resolution') => {
    const path = `/iso20022/acmt023?acmt024Endpoint=${encodeURIComponent(sandbox.callbackUrl(client, 'acmt024'))}`;
    return exchange('POST', path, { client, purpose, messageId }, xml);
  };
  for (const request of [
    proxyRequest('+66810000001'),
    proxyRequest('+66810010001'),
    proxyRequest('+66810000412'),
    accountRequest('6600000001'),
    accountRequest('6600010001', { creditorAgent: { bicfi: 'BANYTHS0' } }),
  ]) {
    const xml = buildAcmt023(request);
    await ask(xml, 'SGDFAST', request.messageIdentification);
    if (request.account.proxy?.id === '+66810000001')
      await ask(xml, 'SGDFAST', request.messageIdentification, 'repeat');
  }
  const unanswered = proxyRequest('+66810000408', { assigner: { bicfi: 'LOTUMYS0' } });
  await ask(buildAcmt023(unanswered), 'MYRRPP', unanswered.messageIdentification);

  // not for the fixture: whatever is altered there would have to be altered in these too
  if (!whole)
    for (const client of ['LOTUSGS0', 'SGDFAST', 'LOTUTHS0', 'THBPPAY', 'operator'])
      await exchange('GET', `/payments/${later.uetr}`, { client, purpose: 'reading' });

  await settled(gateway, whole, { silent: silent.uetr, unreached: unreached.uetr });
  const loadEndedAt = new Date().toISOString();
  for (const name of ['journal', 'logs']) mkdirSync(join(folder, name), { recursive: true });
  const gatheredAt = await gather({
    folder,
    databaseUrl: gateway.databaseUrl,
    temporalAddress: gateway.temporalAddress,
    namespace: gateway.config.temporal.namespace,
    query: `TaskQueue = '${gateway.taskQueuePrefix}payments'`,
    maxHistories: 3,
  });
  for (const party of new Set(entries.map((entry) => entry.party))) {
    const theirs = entries.filter((entry) => entry.party === party).map((entry) => toLine(entry));
    writeFileSync(join(folder, 'journal', `${party.replace('/', '-')}.jsonl`), theirs.join(''));
  }
  const lines = (values: readonly object[]) => values.map((one) => `${JSON.stringify(one)}\n`).join('');
  const origins = [sandbox.source.url, sandbox.destination.url, sandbox.fxProvider.url];
  const run: RunRecord = {
    seed: 1,
    minutes: 1,
    startedAt,
    loadEndedAt,
    healedAt: loadEndedAt,
    gatheredAt,
    canaries: ['Canary Tan', 'Canary Somchai', '1110000001'],
    registeredOrigins: [...origins.map((url) => new URL(url).host), '127.0.0.1:1'],
    trapConnections: [],
  };
  writeFileSync(join(folder, 'run.json'), `${JSON.stringify(run, null, 2)}\n`);
  writeFileSync(join(folder, 'exchanges.jsonl'), lines(exchanges));
  writeFileSync(join(folder, 'faults.jsonl'), '');
  writeFileSync(join(folder, 'logs', 'gateway.log'), log.join(''));
}

/** Until every delivery has ended, and nothing is undecided but what must wait. */
async function settled(
  { db, sandbox }: TestGateway,
  whole: boolean,
  waiting: { readonly silent: string; readonly unreached: string },
): Promise<void> {
  const { journal } = sandbox;
  const mayWait = new Set([waiting.silent, ...(whole ? [] : [waiting.unreached])]);
  if (whole) {
    const isEnquiry = (one: JournalEntry) => one.uetr === waiting.silent && one.kind === 'pacs008';
    const seen = journal.entries().filter(isEnquiry).length;
    let more = 0;
    await journal.waitFor((one) => isEnquiry(one) && ++more > seen, 90_000);
  }
  for (const until = Date.now() + 60_000; Date.now() < until;) {
    const open = await db
      .selectFrom('deliveries')
      .select('subject_id')
      .where('delivered_at', 'is', null)
      .where('closed_at', 'is', null)
      .execute();
    if (open.every((one) => mayWait.has(one.subject_id))) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error('the run did not settle');
}
