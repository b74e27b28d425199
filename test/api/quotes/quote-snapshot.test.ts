// What is kept of a quote, as a payment is bound to it (QUO-7).
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from 'kysely';
import { parseQuoteId } from '../../../core/ids.ts';
import { findQuote } from '../../../db/quotes/quotes.ts';
import type { QuoteSet } from '../../../fixtures/bodies.ts';
import { testDatabase } from '../../harness/database.ts';
import { startApi, type RunningApi } from '../http/running-api.ts';

const database = await testDatabase();
let api: RunningApi;
beforeAll(async () => {
  api = await startApi(database.url);
});
afterAll(() => api.close());

describe('the snapshot that a payment is bound to (QUO-7)', () => {
  async function takeQuote() {
    const { body } = await api.get<QuoteSet>(
      '/quotes/SG/SGD/TH/THB/SGD/1000?finInstIdType=BICFI&finInstId=LOTUSGS0',
    );
    const id = parseQuoteId(body.quotes[0]!.quoteId);
    if (id === undefined) throw new Error('the quote has an id');
    return { id, body };
  }

  it('holds what the PSP was shown', async () => {
    const { id, body } = await takeQuote();
    const stored = await findQuote(api.db, id);
    expect(stored).toMatchObject({
      quoteId: id,
      pspId: 'SG-LOTU',
      fxpId: 'SG-MERI',
      exchangeRate: '25',
      sourceInterbankSettlementAmount: '1000',
      destinationInterbankSettlementAmount: '25000',
      networkSchemeFee: '1.5',
      creditorAgentFee: '100',
      sourceSapId: 'SG-HARB',
      sourceAccountId: 'MERI-SG-SGD',
      destinationSapId: 'TH-HARB',
      destinationAccountId: 'MERI-TH-THB',
      expired: false,
      heldBy: null,
    });
    expect(new Date(stored?.issuedAt ?? 0).toISOString()).toBe(body.quotes[0]!.issuedDateTime);
  });

  it('is valid for 600 s whatever rates are posted, and found for 62 days (QUO-6, QUO-10)', async () => {
    const { id } = await takeQuote();
    await api.post('/rates/', {
      sourceCountry: 'SG',
      sourceCurrency: 'SGD',
      destinationCountry: 'TH',
      destinationCurrency: 'THB',
      rate: '24.5',
    });
    expect(await findQuote(api.db, id)).toMatchObject({ exchangeRate: '25', expired: false });
    const age = (seconds: number) =>
      sql`update quote_requests set issued_at = now() - make_interval(secs => ${seconds})
        where quote_request_id = ${`${id.slice(0, -2)}00`}`.execute(api.db);
    await age(599);
    expect((await findQuote(api.db, id))?.expired).toBe(false);
    await age(601);
    expect((await findQuote(api.db, id))?.expired).toBe(true);
    await age(40 * 86_400);
    expect((await findQuote(api.db, id))?.expired).toBe(true);
  });
});
