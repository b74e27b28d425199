// A payment from Germany to France: both ends are EURTIPS, which sends it and credits it. Its book has both movements, as
// its ledger has, and adds up to nothing (REC-1).
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { createDecidePayment } from '../../../activities/payments/decide-payment.ts';
import { createValidatePayment } from '../../../activities/payments/validate-payment.ts';
import { buildPacs008 } from '../../../core/iso20022/build-pacs008.ts';
import { netOf } from '../../../core/books/reconciliation.ts';
import { recordReceived } from '../../../db/records/messages.ts';
import { readBookIndex, readMovements } from '../../../db/books/reconciliation.ts';
import { instruction } from '../../../fixtures/instruction.ts';
import { storeReport } from '../../harness/reports.ts';
import { workbench } from '../workbench.ts';
import { eventually } from '../../harness/wait.ts';

const { deps } = await workbench();
const { db } = deps;
const book = { of: 'clearing-system', clearingSystemId: 'EURTIPS', currency: 'EUR' } as const;

test('what a payment system sends to itself leaves its book and comes into it', async () => {
  await sql`insert into settlement_accounts (owner_id, sap_id, country_code, currency_code, account_id)
    values ('DE-LOTU', 'FR-HARB', 'FR', 'EUR', 'LOTU-FR-EUR')`.execute(db);
  const hasAccount = () =>
    [...deps.reference().accountsAtSap.values()].some((one) => one.accountId === 'LOTU-FR-EUR');
  await eventually(() => expect(hasAccount()).toBe(true));
  const terms = {
    rate: '1',
    source: { currency: 'EUR', amount: '1000' },
    fee: { currency: 'EUR', amount: '1' },
  };
  const message = instruction(terms, {
    creditorAgent: { bicfi: 'LOTUFRS0' },
    intermediaryAgent2: { bicfi: 'HARBFRS0' },
    intermediaryAgent2Account: { otherId: 'LOTU-FR-EUR' },
  });
  const { messageId } = await recordReceived(db, {
    subjectId: message.uetr,
    type: 'pacs008',
    messageIdentification: message.messageIdentification,
    leg: 'source',
    party: 'EURTIPS',
    answerUrl: 'http://127.0.0.1:9/callback',
    body: Buffer.from(buildPacs008(message)),
  });
  const judgement = await createValidatePayment(deps)({ messageId });
  expect(judgement).toMatchObject({
    verdict: 'accepted',
    route: { corridor: 'DE-FR', destinationSystem: 'EURTIPS' },
  });
  const reportMessageId = await storeReport(db, message.uetr, { status: 'ACCC' });
  const cause = { by: 'destination', reportMessageId, wantsConfirmation: false } as const;
  await createDecidePayment(deps)({ uetr: message.uetr, cause });
  const now = Date.now();
  const period = { from: new Date(now - 3_600_000), to: new Date(now + 3_600_000) };
  const sides: string[] = [];
  for await (const some of readMovements(db, { book, period, seesAll: false })) {
    sides.push(...some.map(({ side, amount }) => `${side} ${Number(amount)}`));
  }
  const { totals } = await readBookIndex(db, book, period);
  expect(sides.sort()).toEqual(['in 1000', 'out 1000']);
  expect(netOf(totals)).toBe('0');
});
