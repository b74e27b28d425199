// GET /api/v1/standings: where an FX provider stands in each of its corridors, beside the best rate of the market. It never
// learns whose that is (FX-9).
import { corridorKeyOf, findCorridor, type CorridorKey } from '../../core/quotes/corridor.ts';
import { exact, jsonNumber } from '../../core/money/money.ts';
import { baseRatesOnly, marketRateOf } from '../../core/quotes/quote.ts';
import type { ReferenceData } from '../../core/scheme/reference.ts';
import type { Db } from '../../db/pool/connection.ts';
import { readOffers } from '../../db/quotes/quotes.ts';
import { readActiveRates } from '../../db/quotes/rates.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { corridorPath } from '../http/input/parameters.ts';
import { problem } from '../http/problems/problem.ts';
import { json } from '../http/response.ts';
import type { Router } from '../http/route.ts';
import { standingsSchema } from './rate-schemas.ts';

export function standingRoutes(router: Router, deps: ApiDependencies): void {
  router.add(
    {
      method: 'get',
      path: '/api/v1/standings',
      operationId: 'listOwnStandings',
      summary: "The calling FX provider's base rates beside the best of the market",
      description:
        'As in the answer to a new rate (endpoint 17): the best rate, without the name of its provider.',
      tag: 'Rates',
      roles: ['fxp'],
      query: corridorPath.partial(),
      problems: ['fxp-not-named'],
      answer: { description: 'By corridor', schema: standingsSchema },
    },
    async ({ query, caller: { institutionId: fxpId } }) => {
      if (fxpId === undefined) return problem('fxp-not-named');
      const rates = await readActiveRates(deps.db, { ...query, fxpId });
      const bases = rates.filter(({ threshold }) => exact(threshold).isZero());
      const markets = await readMarkets(deps.db, deps.reference.current(), fxpId, bases.map(corridorKeyOf));
      const standings = bases.map((base, index) => {
        const best = markets[index]?.best;
        return {
          ...corridorKeyOf(base),
          exchangeRate: jsonNumber(base.exchangeRate),
          marketRate: best === undefined ? null : jsonNumber(best),
          isBest:
            markets[index]?.isShown === true &&
            best !== undefined &&
            exact(best).eq(exact(base.exchangeRate)),
        };
      });
      return json({ standings });
    },
  );
}

interface Market {
  readonly best: string | undefined;
  readonly isShown: boolean;
}

/** Reads offers and corridors exactly as quotes do, so that both see the same market (FX-5). */
export async function readMarkets(
  db: Db,
  data: ReferenceData,
  fxpId: string,
  keys: readonly CorridorKey[],
): Promise<readonly Market[]> {
  const offers = await readOffers(
    db,
    keys.map((corridor) => ({ corridor, pspId: null, reach: baseRatesOnly })),
  );
  return keys.map((key, index) => {
    const corridor = findCorridor(data, key);
    if (!corridor.ok) return { best: undefined, isShown: false };
    return {
      best: marketRateOf(corridor.value, offers[index] ?? []),
      isShown: corridor.value.fxps.has(fxpId),
    };
  });
}
