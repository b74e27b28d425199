// Endpoints 17 to 19 and the two lists of rates. FX providers post rates; PSPs and the providers read them.
// An FX provider must never see another provider's rates here (FX-9). It sees only the best rate of the
// market, without a name.
import type { z } from '@hono/zod-openapi';
import { assert } from '../../core/assert.ts';
import {
  corridorKeyOf,
  findRatedCorridor,
  findRateFault,
  type RateRefusal,
} from '../../core/quotes/corridor.ts';
import { fitsDecimalPlaces, jsonNumber, type JsonObject } from '../../core/money/money.ts';
import { findInstitution, mainIdentifier, type ReferenceData } from '../../core/scheme/reference.ts';
import { alertAtLimit } from '../../db/records/audit.ts';
import type { Db } from '../../db/pool/connection.ts';
import {
  listImprovements,
  registerPspImprovement,
  registerTierWithin,
  type StoredTier,
} from '../../db/quotes/improvements.ts';
import { readActiveRates, replaceRates, type StoredRate } from '../../db/quotes/rates.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { idempotencyHeader, idempotent } from '../http/input/idempotency.ts';
import {
  amount,
  basisPoints,
  corridorPath,
  currencyCode,
  finInstId,
  finInstIdType,
  rate,
} from '../http/input/parameters.ts';
import { problem, type Problem } from '../http/problems/problem.ts';
import {
  improvementsSchema,
  pspImprovementSchema,
  rateAcceptedSchema,
  ratesSchema,
  tierImprovementSchema,
} from './rate-schemas.ts';
import { json } from '../http/response.ts';
import { readMarkets } from './standings.ts';
import type { Router } from '../http/route.ts';
import {
  corridorRefused,
  refuse,
  tooManyDecimals,
  unknownPsp,
  type CorridorFields,
} from '../http/problems/told.ts';
import { component } from '../http/component.ts';

const rateBody = corridorPath.extend({ rate }).strict().openapi('NewRate');
const tierBody = component('NewTierImprovement', {
  unitCurrency: currencyCode.openapi({ description: 'Source currency' }),
  threshold: amount
    .refine((text) => !/^0(\.0+)?$/.test(text), { error: 'must be above zero' })
    .openapi({
      description: 'Smallest source amount, inclusive; above zero',
      example: '1000',
    }),
  improvementBasisPoints: basisPoints,
});
const pspBody = component('NewPspImprovement', {
  pspIdType: finInstIdType,
  pspId: finInstId,
  improvementBasisPoints: basisPoints,
});

// per FX provider and currency; limited because each tier adds a rate to every corridor
const mostTiers = 100;

/** The position of each part of a rate's corridor in the body, for error messages. */
const corridorMembers: CorridorFields = {
  sourceCountry: { pointer: '/sourceCountry' },
  sourceCurrency: { pointer: '/sourceCurrency' },
  destinationCountry: { pointer: '/destinationCountry' },
  destinationCurrency: { pointer: '/destinationCurrency' },
};

const post = {
  method: 'post',
  tag: 'Rates',
  roles: ['fxp'],
  request: { headers: idempotencyHeader },
} as const;
const postProblems = ['fxp-not-named', 'request-in-progress', 'idempotency-key-reused'] as const;

export function rateRoutes(router: Router, deps: ApiDependencies): void {
  addPosts(router, deps);
  addLists(router, deps);
  addImprovements(router, deps);
}

function addPosts(router: Router, deps: ApiDependencies): void {
  router.add(
    {
      ...post,
      path: '/api/v1/rates',
      aliases: { '/rates/': 'postRateAlias' },
      operationId: 'postRate',
      summary: 'Issue a new rate (endpoint 17)',
      body: rateBody,
      problems: [
        ...postProblems,
        'same-currency-corridor',
        'corridor-not-set-up',
        'source-sap-not-validated',
        'destination-sap-not-validated',
      ],
      answer: { description: 'Accepted', schema: rateAcceptedSchema },
    },
    ({ body, bodyText, caller, context }) => {
      const { institutionId } = caller;
      if (institutionId === undefined) return problem('fxp-not-named');
      return idempotent(deps.db, { context, caller, bodyText, operation: 'postRate' }, (trx) =>
        postRate(trx, deps.reference.current(), { ...body, fxpId: institutionId }),
      );
    },
  );
  router.add(
    {
      ...post,
      path: '/api/v1/tier_improvements',
      aliases: { '/improvements/tiers/': 'postTierImprovementAlias' },
      operationId: 'postTierImprovement',
      summary: 'Register or update a tier improvement (endpoint 18)',
      body: tierBody,
      problems: [...postProblems, 'unit-currency-unknown', 'too-many-decimals', 'too-many-tiers'],
      answer: { description: 'The stored record', schema: tierImprovementSchema },
    },
    ({ body, bodyText, caller, context }) => {
      const { institutionId } = caller;
      if (institutionId === undefined) return problem('fxp-not-named');
      return idempotent(deps.db, { context, caller, bodyText, operation: 'postTierImprovement' }, (trx) =>
        postTier(trx, deps.reference.current(), { ...body, fxpId: institutionId }),
      );
    },
  );
  router.add(
    {
      ...post,
      path: '/api/v1/psp_improvements',
      aliases: { '/improvements/psps/': 'postPspImprovementAlias' },
      operationId: 'postPspImprovement',
      summary: 'Register or update a PSP improvement (endpoint 19)',
      body: pspBody,
      problems: [...postProblems, 'unknown-psp'],
      answer: { description: 'The stored record', schema: pspImprovementSchema },
    },
    ({ body, bodyText, caller, context }) => {
      const { institutionId } = caller;
      if (institutionId === undefined) return problem('fxp-not-named');
      return idempotent(deps.db, { context, caller, bodyText, operation: 'postPspImprovement' }, (trx) =>
        postPsp(trx, deps.reference.current(), { ...body, fxpId: institutionId }),
      );
    },
  );
}

/** Follows the steps of endpoint 17 in the specification, in one transaction. */
async function postRate(
  trx: Db,
  data: ReferenceData,
  asked: z.output<typeof rateBody> & { fxpId: string },
): Promise<JsonObject | Problem> {
  const fault = findRateFault(data, asked.fxpId, asked); // steps 1 and 2 of endpoint 17
  if (fault !== undefined) return rateRefused(fault);
  const [base, ...tiers] = await replaceRates(trx, asked); // steps 3 to 5
  assert(base !== undefined, 'a rate was saved');
  const { fxpId, ...key } = asked;
  const [market] = await readMarkets(trx, data, fxpId, [key]); // step 8
  const { best, isShown = false } = market ?? {};
  return {
    status: 'accepted',
    quote: { ...renderRate(base), tierRates: tiers.map(renderTierRate) },
    marketRate: { exchangeRate: best === undefined ? null : jsonNumber(best) },
    ...(isShown ? {} : { shown: false, notShownBecause: notShownBecause(data, asked.fxpId) }),
  };
}

/** Explains why quotes do not show a rate. Only two reasons remain, because the rate passed FX-3. */
const notShownBecause = ({ paused }: ReferenceData, fxpId: string): string =>
  paused.has(fxpId)
    ? 'An operator of the scheme has paused you: PSPs get no quotes of yours until they resume you (LIF-5).'
    : 'PSPs get no quotes in this corridor: it needs two countries with a fee formula each, which an operator of the scheme can enter (REF-3).';

/** Turns a refusal by FX-2 or FX-3 into the problem with the matching code. */
function rateRefused(refusal: RateRefusal): Problem {
  switch (refusal.code) {
    case 'same-currency-corridor': {
      const detail = `A rate needs two different currencies; this one has ${refusal.currency} on both sides.`;
      return refuse(refusal.code, corridorMembers.destinationCurrency, detail);
    }
    case 'corridor-not-set-up': {
      const { code, end } = refusal;
      if (end === undefined) return problem(code);
      return problem(code, { ...corridorRefused(end, corridorMembers), ruleId: 'FX-3' });
    }
    case 'source-sap-not-validated':
    case 'destination-sap-not-validated':
      return problem(refusal.code);
  }
}

async function postTier(
  trx: Db,
  data: ReferenceData,
  asked: z.output<typeof tierBody> & { fxpId: string },
): Promise<JsonObject | Problem> {
  const currency = data.currencies.get(asked.unitCurrency);
  if (currency === undefined) {
    const detail = `The service has no currency ${asked.unitCurrency}; GET /currencies lists them.`;
    return refuse('unit-currency-unknown', { pointer: '/unitCurrency' }, detail);
  }
  if (!fitsDecimalPlaces(asked.threshold, currency.decimalPlaces)) {
    return tooManyDecimals({ pointer: '/threshold' }, asked.threshold, currency);
  }
  const stored = await registerTierWithin(trx, asked, mostTiers);
  if (typeof stored === 'string') {
    await alertAtLimit(trx, asked.fxpId, 'tiers');
    if (stored === 'too-many') return problem('too-many-tiers');
    const detail =
      'As many thresholds of this currency are on record as may be, ended ones too. Use one of them again.';
    return problem('too-many-tiers', { detail });
  }
  return renderTier(data, stored);
}

const renderTier = (data: ReferenceData, stored: StoredTier): JsonObject => ({
  tierImprovementId: stored.tierImprovementId,
  ...identityOf(data, stored.fxpId),
  unitCurrency: stored.unitCurrency,
  threshold: stored.threshold,
  improvementBasisPoints: stored.improvementBasisPoints,
  updatedDateTime: stored.updatedAt,
});

async function postPsp(
  trx: Db,
  data: ReferenceData,
  asked: z.output<typeof pspBody> & { fxpId: string },
): Promise<JsonObject | Problem> {
  const psp = findInstitution(data, asked.pspIdType, asked.pspId);
  if (psp?.roles.includes('psp') !== true) {
    return unknownPsp({ pointer: '/pspId' }, { type: asked.pspIdType, id: asked.pspId }, undefined, 'FX-7');
  }
  const { fxpId, improvementBasisPoints } = asked;
  const stored = await registerPspImprovement(trx, {
    fxpId,
    pspId: psp.institutionId,
    improvementBasisPoints,
  });
  return {
    pspImprovementId: stored.pspImprovementId,
    ...identityOf(data, fxpId),
    pspIdType: asked.pspIdType,
    pspId: asked.pspId,
    improvementBasisPoints: stored.improvementBasisPoints,
    updatedDateTime: stored.updatedAt,
  };
}

function addLists(router: Router, deps: ApiDependencies): void {
  router.add(
    {
      method: 'get',
      path: '/rates/',
      operationId: 'listRates',
      summary: 'Current rates of a corridor, all FX providers',
      tag: 'Rates',
      roles: ['psp', 'operator'], // an FX provider may not list its competitors' rates
      query: corridorPath,
      problems: ['unknown-country', 'unknown-currency', 'currency-not-of-country', 'unknown-corridor'],
      answer: { description: 'Base and tier rates, best first', schema: ratesSchema },
    },
    async ({ query }) => {
      const data = deps.reference.current();
      const corridor = findRatedCorridor(data, query);
      if (!corridor.ok) return corridorRefused(corridor.refusal);
      const { key, fxps } = corridor.value;
      const rates = await readActiveRates(deps.db, key);
      const shown = rates.filter((one) => fxps.has(one.fxpId)); // only rates that quotes can use
      return json({ rates: shown.map((one) => renderListedRate(data, one)) });
    },
  );
  router.add(
    {
      method: 'get',
      path: '/api/v1/rates',
      operationId: 'listOwnRates',
      summary: "The calling FX provider's own current rates",
      tag: 'Rates',
      roles: ['fxp'],
      query: corridorPath.partial(),
      problems: ['fxp-not-named'],
      answer: { description: 'Base and tier rates, best first', schema: ratesSchema },
    },
    async ({ query, caller }) => {
      if (caller.institutionId === undefined) return problem('fxp-not-named');
      const data = deps.reference.current();
      const rates = await readActiveRates(deps.db, { ...query, fxpId: caller.institutionId });
      return json({ rates: rates.map((one) => renderListedRate(data, one)) });
    },
  );
}

function addImprovements(router: Router, deps: ApiDependencies): void {
  router.add(
    {
      method: 'get',
      path: '/api/v1/improvements',
      operationId: 'listOwnImprovements',
      summary: "The calling FX provider's own improvements",
      description: 'Those of 0 basis points have ended.',
      tag: 'Rates',
      roles: ['fxp'],
      problems: ['fxp-not-named'],
      answer: { description: 'By tier, and by PSP', schema: improvementsSchema },
    },
    async ({ caller }) => {
      if (caller.institutionId === undefined) return problem('fxp-not-named');
      const data = deps.reference.current();
      const { tiers, psps } = await listImprovements(deps.db, caller.institutionId);
      return json({
        tiers: tiers.map((one) => renderTier(data, one)),
        psps: psps.map(({ pspImprovementId, fxpId, pspId, improvementBasisPoints, updatedAt }) => {
          const psp = data.institutions.get(pspId);
          const { type, value } =
            psp === undefined ? { type: 'internalId', value: pspId } : mainIdentifier(psp);
          return {
            pspImprovementId,
            ...identityOf(data, fxpId),
            pspIdType: type,
            pspId: value,
            improvementBasisPoints,
            updatedDateTime: updatedAt.toISOString(),
          };
        }),
      });
    },
  );
}

function identityOf(data: ReferenceData, fxpId: string): { fxpfinInstIdType: string; fxpfinInstId: string } {
  const institution = data.institutions.get(fxpId);
  assert(institution !== undefined, 'the FX provider of a rate is an institution');
  const { type, value } = mainIdentifier(institution);
  return { fxpfinInstIdType: type, fxpfinInstId: value };
}

/** Renders a rate as a flat object, with decimals as numbers. */
function renderRate(stored: StoredRate): JsonObject {
  const { rateId, ...values } = renderTierRate(stored);
  return { rateId, ...corridorKeyOf(stored), ...values };
}

function renderTierRate(stored: StoredRate): JsonObject {
  return {
    rateId: stored.rateId,
    exchangeRate: jsonNumber(stored.exchangeRate),
    threshold: jsonNumber(stored.threshold),
    createdDateTime: stored.createdAt,
  };
}

function renderListedRate(data: ReferenceData, stored: StoredRate): JsonObject {
  const { rateId, ...rest } = renderRate(stored);
  return { rateId, ...identityOf(data, stored.fxpId), ...rest };
}
