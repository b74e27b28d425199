// Endpoints 9 to 11: institutions by role, country or identifier. The lists include institutions that are not
// onboarded (REF-3).
import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { finInstRoleFilters, finInstRoles, type FinInstRoleFilter } from '../../core/ids.ts';
import type { JsonObject } from '../../core/money/money.ts';
import { findInstitution, type Institution, type ReferenceData } from '../../core/scheme/reference.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { countryCode, finInstId, finInstIdType } from '../http/input/parameters.ts';
import {
  invalidCursor,
  linkToNext,
  pageLimit,
  pageQuery,
  readCursor,
  writeCursor,
} from '../http/input/paging.ts';
import { referenceAnswer, referenceRoute } from '../http/reference-answer.ts';
import type { Router } from '../http/route.ts';
import { unknownCountry, unknownInstitution } from '../http/problems/told.ts';
import { component } from '../http/component.ts';

const countryField = { parameter: 'countryCode' };

const institutionSchema = component('FinancialInstitution', {
  name: z.string().openapi({ example: 'Lotus Bank Singapore' }),
  finInstId: z.strictObject({
    BICFI: z.array(z.string()),
    LEI: z.string().nullable(),
    otherId: z.array(z.string()).nullable(),
  }),
  countryCode: z.string().openapi({ example: 'SG' }),
  roles: z.array(z.enum(finInstRoles)),
});
const institutionsSchema = z.array(institutionSchema).openapi('FinancialInstitutions');
const pageSchema = component('FinancialInstitutionPage', { finInsts: z.array(institutionSchema) });

const finInstRole = z.enum(finInstRoleFilters);
const onboarded = z.enum(['true', 'false']).optional().openapi({
  description: 'true: only those that take part in payments; false: only the others; default: all (REF-3)',
});
type Onboarded = z.infer<typeof onboarded>;
const isMeant = (asked: Onboarded) => (one: Institution) =>
  asked === undefined || one.onboarded === (asked === 'true');
// the form of an institutionId, which is only compared
const isPlace = (text: string) => /^[!-~]{1,70}$/.test(text);
const usualSize = 100;

export function finInstRoutes(router: Router, deps: ApiDependencies): void {
  addList(router, deps);
  addCountryLists(router, deps);
  addLookup(router, deps);
}

function addList(router: Router, deps: ApiDependencies): void {
  const common = referenceRoute(deps.reference.current);
  router.add(
    {
      ...common,
      path: '/fin-insts/{finInstRole}',
      operationId: 'listFinInsts',
      summary: 'Institutions of all countries by role, in pages (endpoint 9)',
      description: 'The next page, if there is one, is in the `Link` header with `rel="next"` (RFC 8288).',
      params: z.object({ finInstRole }),
      query: z.object({ ...pageQuery, limit: pageLimit(usualSize), onboarded }),
      problems: ['invalid-cursor'],
      answer: { description: 'A page of institutions', schema: pageSchema },
    },
    ({ params, query, context }) => {
      const data = deps.reference.current();
      const list = `fin-insts ${params.finInstRole}`;
      const after = query.cursor === undefined ? '' : readCursor(list, query.cursor, isPlace);
      if (after === undefined) return invalidCursor();
      const size = Number(query.limit ?? usualSize);
      const rest = institutionsOf(data, params.finInstRole)
        .filter(({ institutionId }) => institutionId > after)
        .filter(isMeant(query.onboarded));
      const page = rest.slice(0, size);
      const last = page.at(-1);
      const isLast = rest.length === page.length || last === undefined;
      const path = `/fin-insts/${params.finInstRole}`;
      const headers = isLast
        ? {}
        : linkToNext(
            {
              publicUrl: deps.config.publicUrl,
              path,
              query: { limit: String(size), onboarded: query.onboarded },
            },
            writeCursor(list, last.institutionId),
          ).headers;
      return referenceAnswer(context, data, { finInsts: page.map(renderInstitution) }, headers);
    },
  );
}

interface AskedOfCountry {
  readonly params: { readonly countryCode: string; readonly finInstRole?: FinInstRoleFilter };
  readonly query: { readonly onboarded?: Onboarded };
  readonly context: Context;
}

function addCountryLists(router: Router, deps: ApiDependencies): void {
  const common = {
    ...referenceRoute(deps.reference.current),
    query: z.object({ onboarded }),
    problems: ['unknown-country'],
    answer: { description: 'Institutions', schema: institutionsSchema },
  } as const;
  const answer = ({ params, query, context }: AskedOfCountry) => {
    const { countryCode: country, finInstRole: role = 'any' } = params;
    const data = deps.reference.current();
    if (!data.countries.has(country)) return unknownCountry(countryField, country);
    const found = institutionsOf(data, role)
      .filter((institution) => institution.countryCode === country)
      .filter(isMeant(query.onboarded));
    return referenceAnswer(context, data, found.map(renderInstitution));
  };
  router.add(
    {
      ...common,
      path: '/countries/{countryCode}/fin-insts/{finInstRole}',
      operationId: 'listFinInstsOfCountry',
      summary: 'Institutions of a country by role (endpoint 10)',
      params: z.object({ countryCode, finInstRole }),
    },
    answer,
  );
  router.add(
    {
      ...common,
      path: '/countries/{countryCode}/fin-insts',
      operationId: 'listAllFinInstsOfCountry',
      summary: 'Institutions of a country, all roles (endpoint 10, role left out)',
      params: z.object({ countryCode }),
    },
    answer,
  );
}

function addLookup(router: Router, deps: ApiDependencies): void {
  const common = referenceRoute(deps.reference.current);
  router.add(
    {
      ...common,
      path: '/fin-insts/any/{finInstIdType}/{finInstId}',
      operationId: 'getFinInst',
      summary: 'One institution by an identifier (endpoint 11)',
      description: 'A BIC8 and the same BIC with `XXX` are the same institution (REF-4).',
      params: z.object({ finInstIdType, finInstId }),
      problems: ['unknown-institution'],
      answer: { description: 'The institution', schema: institutionSchema },
    },
    ({ params, context }) => {
      const data = deps.reference.current();
      const institution = findInstitution(data, params.finInstIdType, params.finInstId);
      if (institution === undefined || institution.hasEnded) {
        const { finInstIdType: type, finInstId: id } = params;
        return unknownInstitution({ parameter: 'finInstId' }, { type, id });
      }
      return referenceAnswer(context, data, renderInstitution(institution));
    },
  );
}

const listsOfSnapshot = new WeakMap<ReferenceData, Map<FinInstRoleFilter, readonly Institution[]>>();

/**
 * Returns the institutions sorted by id. The next page then continues correctly, even if institutions are
 * added meanwhile (REF-2).
 */
function institutionsOf(data: ReferenceData, role: FinInstRoleFilter): readonly Institution[] {
  let lists = listsOfSnapshot.get(data);
  if (lists === undefined) {
    listsOfSnapshot.set(data, (lists = new Map<FinInstRoleFilter, readonly Institution[]>()));
  }
  let list = lists.get(role);
  if (list === undefined) {
    list = [...data.institutions.values()]
      .filter(({ roles, hasEnded }) => !hasEnded && (role === 'any' || roles.includes(role)))
      .sort((a, b) => (a.institutionId < b.institutionId ? -1 : 1));
    lists.set(role, list);
  }
  return list;
}

function renderInstitution(institution: Institution): JsonObject {
  return {
    name: institution.name,
    finInstId: {
      BICFI: institution.bics,
      LEI: institution.lei,
      otherId: institution.otherIds.length === 0 ? null : institution.otherIds,
    },
    countryCode: institution.countryCode,
    roles: institution.roles,
  };
}
