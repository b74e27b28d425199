// GET /alerts, GET /alerts/{alertId}, and the actions of operators on one alert, or on a payment with all its
// alerts. No action changes or removes an entry; each action adds a new one.
import { z } from '@hono/zod-openapi';
import {
  alertStates,
  needsNote,
  type Alert,
  type AlertFilter,
  type AlertsOfKind,
  type CaseHindrance,
  type Closing,
  type NewEntry,
} from '../../core/operations/cases.ts';
import { compact } from '../../core/compact.ts';
import type { JsonObject, JsonValue } from '../../core/money/money.ts';
import {
  actOnAlert,
  actOnCase,
  entriesOfAlert,
  entriesOfCase,
  findAlert,
  listAlerts,
} from '../../db/records/cases.ts';
import { isOnRecord } from '../../db/records/messages.ts';
import type { ApiDependencies } from '../dependencies.ts';
import {
  alertId,
  alertIdPattern,
  alertPageSchema,
  alertWithEntriesSchema,
  caseEntrySchema,
  newCaseEntrySchema,
  newEntrySchema,
} from './case-schemas.ts';
import { invalidCursor, page, pageQuery, readCursor, sizeOf, writeCursor } from '../http/input/paging.ts';
import { instant, severalOf, uuid, word } from '../http/input/parameters.ts';
import { invalidRequest, isProblem, problem, type Problem } from '../http/problems/problem.ts';
import { json } from '../http/response.ts';
import { partyAsked } from './party-filter.ts';
import { renderEntry } from '../payments/render-evidence.ts';
import type { Router } from '../http/route.ts';
import type { Caller } from '../http/caller.ts';
import { withoutPayment } from '../payments/without-payment.ts';

const path = '/alerts';
const query = z.object({
  state: severalOf(alertStates).optional().openapi({ description: 'Default: open,taken' }),
  severity: z.enum(['alert', 'security']).optional(),
  kind: word.optional().openapi({ example: 'payment.in-doubt' }),
  party: word.optional().openapi({
    description: 'Payment system, or BIC or internalId of an institution; or a name that alerts have',
  }),
  subjectId: uuid.optional(),
  takenBy: word.optional().openapi({ description: 'Client id' }),
  from: instant.optional(),
  to: instant.optional(),
  ...pageQuery,
});
const params = z.object({ alertId });
const isAlertId = (text: string) => alertIdPattern.test(text);
const common = { tag: 'Alerts', roles: ['operator'] } as const;

export function alertRoutes(router: Router, deps: ApiDependencies): void {
  addReading(router, deps);
  addActing(router, deps);
}

function addReading(router: Router, deps: ApiDependencies): void {
  router.add(
    {
      ...common,
      method: 'get',
      path,
      operationId: 'listAlerts',
      summary: 'Alerts, newest first',
      description:
        'Without `state`, those that nobody has closed. docs/operations/alerts.md says for each kind what it means and what to do. ' +
        'The next page, if there is one, is in the `Link` header and in `next`.',
      query,
      problems: ['invalid-cursor'],
      answer: { description: 'A page of alerts', schema: alertPageSchema },
    },
    async ({ query: asked }) => {
      const { limit, cursor, state: states = ['open', 'taken'], party: named, ...filter } = asked;
      const after = cursor === undefined ? undefined : readCursor(path, cursor, isAlertId);
      if (cursor !== undefined && after === undefined) return invalidCursor();
      const party = partyAsked(deps.reference.current(), named, { parameter: 'party' });
      // alerts may name a party that is missing in the reference data, or was removed from it
      const parties = named === undefined ? undefined : isProblem(party) ? [named] : party?.names;
      const found = await listAlerts(deps.db, compact<AlertFilter>({ states, ...filter, parties }), {
        limit: sizeOf(limit),
        ...(after !== undefined && { after }),
      });
      if (isProblem(party) && found.alerts.length === 0 && after === undefined) return party;
      const list = { publicUrl: deps.config.publicUrl, path, query: asked };
      return page(list, 'alerts', found.alerts.map(renderAlert), found.next && writeCursor(path, found.next));
    },
  );
  router.add(
    {
      ...common,
      method: 'get',
      path: '/alerts/{alertId}',
      operationId: 'getAlert',
      summary: 'An alert, and what was done about it',
      params,
      problems: ['unknown-alert'],
      answer: { description: 'The alert', schema: alertWithEntriesSchema },
    },
    ({ params: { alertId } }) => shown(deps, alertId),
  );
}

function addActing(router: Router, deps: ApiDependencies): void {
  router.add(
    {
      ...common,
      method: 'post',
      path: '/alerts/{alertId}/entries',
      operationId: 'actOnAlert',
      summary: 'Take, note, close or reopen an alert',
      params,
      body: newEntrySchema,
      problems: ['unknown-alert', 'already-taken', 'alert-closed', 'alert-not-closed'],
      answer: { description: 'The alert', schema: alertWithEntriesSchema },
    },
    async ({ params: { alertId }, body, caller }) => {
      const entry = entryOf(body, caller);
      if (isProblem(entry)) return entry;
      const alert = await findAlert(deps.db, alertId);
      if (alert === undefined) return unknownAlert(alertId);
      const hindrance = await actOnAlert(deps.db, alert, entry);
      return hindrance === undefined ? shown(deps, alertId) : hindered(hindrance);
    },
  );
  router.add(
    {
      ...common,
      method: 'post',
      path: '/payments/{uetr}/entries',
      operationId: 'actOnPayment',
      summary: 'Take, note, close or reopen the case of a payment, with all its alerts so far',
      description:
        'Take and close apply to its alerts that are not closed, reopen to those that are closed, a note to all. An ' +
        'alert that comes later is open. If those that are not closed are of several kinds, close must name the ' +
        'kinds in `kinds`, or set `all`. If any is not closed, it must name in `seen` the last alert that you have ' +
        'looked at.',
      params: z.object({ uetr: uuid }),
      body: newCaseEntrySchema,
      problems: [
        'unknown-payment',
        'already-taken',
        'alert-closed',
        'alert-not-closed',
        'alert-kinds',
        'alerts-unseen',
      ],
      answer: { description: 'All that was done', schema: z.array(caseEntrySchema) },
    },
    async ({ params: { uetr }, body, caller }) => {
      const entry = entryOf(body, caller);
      if (isProblem(entry)) return entry;
      const unclear = refuseClosing(body);
      if (unclear !== undefined) return unclear;
      if (!(await isOnRecord(deps.db, uetr))) return withoutPayment(deps.db, uetr);
      const hindrance = await actOnCase(deps.db, uetr, {
        ...entry,
        closing: closingOf(body),
      });
      if (hindrance !== undefined) return hindered(hindrance);
      return json((await entriesOfCase(deps.db, uetr)).map(renderEntry));
    },
  );
}

async function shown(deps: ApiDependencies, alertId: string): Promise<Response | Problem> {
  const alert = await findAlert(deps.db, alertId);
  if (alert === undefined) return unknownAlert(alertId);
  const entries = await entriesOfAlert(deps.db, alert);
  return json({ ...renderAlert(alert), entries: entries.map(renderEntry) });
}

const unknownAlert = (alertId: string) =>
  problem('unknown-alert', {
    detail: `There is no alert ${alertId}; GET /alerts?state=open,taken,closed lists them all.`,
  });

function hindered(hindrance: CaseHindrance): Problem {
  if (hindrance.kind === 'closed') return problem('alert-closed', { detail: whoClosed(hindrance) });
  if (hindrance.kind === 'not-closed') return problem('alert-not-closed');
  if (hindrance.kind === 'kinds') return problem('alert-kinds', { detail: whichAreOpen(hindrance) });
  if (hindrance.kind === 'unseen') return problem('alerts-unseen', { detail: upToWhich(hindrance) });
  const { takenBy, takenAt } = hindrance;
  const detail =
    `${takenBy} took it at ${takenAt.toISOString()}. ` +
    'To take it over, say why in `note` (ops take: --note).';
  return problem('already-taken', { detail });
}

function whoClosed({
  closedBy,
  closedAt,
  open,
}: Extract<CaseHindrance, { readonly kind: 'closed' }>): string {
  const closed = `${closedBy ?? 'Somebody'} closed it at ${closedAt?.toISOString() ?? 'an unknown time'}`;
  const rest = open.length === 0 ? '' : ` Open alerts: ${counted(open)}.`;
  return `${closed}: to take care of it again, reopen it first.${rest}`;
}

/** Counts the open alerts of each kind, and names the newest one. */
const counted = (open: readonly AlertsOfKind[]) =>
  open
    .map(({ kind, count, last }) => `${count} ${kind} (${count === 1 ? last : `the last: ${last}`})`)
    .join(', ');

function whichAreOpen({ open, over, never }: Extract<CaseHindrance, { readonly kind: 'kinds' }>): string {
  const named = [
    ...over.map((kind) => `Its alerts of kind ${kind} are closed. `),
    ...(never.length === 0 ? [] : [`It has no alert of kind ${never.join(' or ')}. `]),
  ].join('');
  if (open.length === 0) return `${named}It has no open alert.`;
  return (
    `${named}Open alerts: ${counted(open)}. Name in \`kinds\` (ops close: --kind) those that are over, ` +
    'or close them all with `all` (--all).'
  );
}

function upToWhich({ open, seen }: Extract<CaseHindrance, { readonly kind: 'unseen' }>): string {
  const named = seen === undefined ? '' : `None of them is ${seen}, or as old as that. `;
  return (
    `Open alerts: ${counted(open)}. ${named}Name in \`seen\` (ops close: --seen) the last alert of the case that you have ` +
    'looked at: what came after it stays open.'
  );
}

type NewCaseEntry = z.output<typeof newCaseEntrySchema>;

const closingOf = ({ kinds, all, seen }: NewCaseEntry): Closing => ({
  kinds: all === true ? 'all' : kinds,
  seen,
});

/** Refuses `kinds`, `all` and `seen` for actions other than close. */
function refuseClosing({ action, kinds, all, seen }: NewCaseEntry): Problem | undefined {
  if (kinds !== undefined && all !== undefined)
    return invalidRequest([{ pointer: '/all', detail: 'name kinds, or all of them, not both' }]);
  if (action === 'close') return undefined;
  const [only] = Object.entries({ kinds, all, seen }).filter(([, value]) => value !== undefined);
  if (only === undefined) return undefined;
  return invalidRequest([{ pointer: `/${only[0]}`, detail: `only close takes it, not ${action}` }]);
}

function entryOf(body: Pick<NewCaseEntry, 'action' | 'note'>, { clientId }: Caller): NewEntry | Problem {
  const { action, note } = body;
  if (needsNote(action) && note === undefined) {
    return invalidRequest([
      { pointer: '/note', detail: `missing: ${action} needs a note, for the next shift` },
    ]);
  }
  return { action, by: clientId, note: note ?? null };
}

function renderAlert({ detail, ...alert }: Alert): JsonObject {
  return { ...alert, detail: detail as JsonValue, href: `/alerts/${alert.alertId}` };
}
