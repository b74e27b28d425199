// GET /books: the books that the caller may read by GET /reconciliation.
import { tenuresOf } from '../../core/books/account-owners.ts';
import type { JsonObject } from '../../core/money/money.ts';
import type { BookedAccount, ReferenceData } from '../../core/scheme/reference.ts';
import type { ApiDependencies } from '../dependencies.ts';
import type { Caller } from '../http/caller.ts';
import { json } from '../http/response.ts';
import type { Router } from '../http/route.ts';
import { booksSchema } from './reconciliation-schemas.ts';

export function bookRoutes(router: Router, { reference }: ApiDependencies): void {
  router.add(
    {
      method: 'get',
      path: '/books',
      operationId: 'listBooks',
      summary: 'The books that you may read',
      description:
        'A payment system has one; an FX provider or PSP has one for each account at a settlement access provider that is or ' +
        'was its own; operators read all. GET /reconciliation reads one.',
      tag: 'Reconciliation',
      roles: ['operator', 'ipso', 'psp', 'fxp'],
      answer: { description: 'Payment systems first, then accounts', schema: booksSchema },
    },
    ({ caller }) => {
      const data = reference.current();
      return json({ books: [...systemBooks(data, caller), ...accountBooks(data, caller)] });
    },
  );
}

const seesAll = ({ role }: Caller) => role === 'operator' || role === 'all';

const systemBooks = ({ clearingSystems }: ReferenceData, caller: Caller): readonly JsonObject[] =>
  [...clearingSystems]
    .filter(([id]) => seesAll(caller) || id === caller.clearingSystemId)
    .map(([clearingSystem, { currencyCode: currency }]) => ({
      clearingSystem,
      sap: null,
      account: null,
      currency,
    }));

function accountBooks(data: ReferenceData, caller: Caller): readonly JsonObject[] {
  const { institutionId } = caller;
  const currencyOf = (account: BookedAccount) =>
    seesAll(caller)
      ? account.owners.at(-1)?.currencyCode
      : institutionId === undefined
        ? undefined
        : tenuresOf(account, institutionId).at(-1)?.currencyCode;
  return [...data.bookedAccounts.values()].flatMap((one) => {
    const currency = currencyOf(one);
    const sap = data.institutions.get(one.sapId);
    if (currency === undefined || sap === undefined) return [];
    return [
      { clearingSystem: null, sap: sap.bics[0] ?? sap.institutionId, account: one.accountId, currency },
    ];
  });
}
