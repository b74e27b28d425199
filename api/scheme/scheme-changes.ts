// The routes by which operators change the scheme. One operator proposes a change, and sees its difference
// from the current scheme. By default, a second operator approves or refuses the change. Operators also
// import a whole directory, and replace a client's secret.
import { z } from '@hono/zod-openapi';
import { editsBetween, isSame, type SchemeEdit } from '../../core/scheme/change.ts';
import { checkEdits, type SchemePolicy } from '../../core/scheme/check.ts';
import {
  schemeIdOf,
  type ClientDocument,
  type Scheme,
  type SchemeDocument,
} from '../../core/scheme/documents.ts';
import type { Finding } from '../../core/scheme/finding.ts';
import { decideChange, findChange, proposeChange, listChanges } from '../../db/scheme/changes.ts';
import { parseDocument, parseScheme } from '../../db/scheme/parse.ts';
import { readScheme } from '../../db/scheme/read.ts';
import { makeSecret } from '../../db/scheme/secrets.ts';
import { compact } from '../../core/compact.ts';
import type { JsonObject } from '../../core/money/money.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { limit, sizeOf } from '../http/input/paging.ts';
import { uuid } from '../http/input/parameters.ts';
import {
  invalidRequest,
  isProblem,
  problem,
  type InputFault,
  type Problem,
} from '../http/problems/problem.ts';
import { json } from '../http/response.ts';
import type { Router } from '../http/route.ts';
import {
  changeSchema,
  changeStates,
  kindParameter,
  listedChangeSchema,
  newChangeSchema,
  newImportSchema,
  idExample,
  objectId,
  proposedSchema,
  renderChange,
  renderEdit,
  renderFinding,
  renderListed,
} from './scheme-schemas.ts';
import { refusalOf, refusedBy } from './scheme-refusals.ts';
import { words } from '../operations/words.ts';
import { component } from '../http/component.ts';

const acting = { method: 'post', tag: 'Scheme', roles: ['operator'] } as const;
const largestImport = 4_194_304; // bytes; the demo's scheme has about 220,000
const changeParams = z.object({ changeId: uuid });

export function schemeChangeRoutes(router: Router, deps: ApiDependencies): void {
  addProposing(router, deps);
  addSecrets(router, deps);
  addReading(router, deps);
  addDeciding(router, deps);
}

const policyOf = ({ config }: ApiDependencies): SchemePolicy => ({
  fourEyes: config.fourEyes,
  allowLoopbackHttp: config.allowLoopbackCallbacks,
});

/** Computes the requested edits from the current scheme. */
type Edits = (scheme: Scheme) => readonly SchemeEdit[];

interface Asked {
  readonly by: string;
  readonly because: string;
  readonly effectiveAt?: Date | undefined;
  readonly preview?: boolean | undefined;
}

function addProposing(router: Router, deps: ApiDependencies): void {
  router.add(
    {
      ...acting,
      path: '/admin/changes',
      operationId: 'proposeSchemeChange',
      summary: 'Enter, change or end objects of the scheme',
      description:
        'One change of one or several objects, applied as a whole. It waits for a second operator (ADM-2), unless it changes only ' +
        'names, titles and the order of lists, or ends clients: that takes effect within a second (REF-6). Operators make their own ' +
        'secrets. A client document without `secrets` keeps all of them; with `secrets`, those that it names, unchanged if without `hash`.',
      body: newChangeSchema,
      maxBodyBytes: largestImport,
      problems: ['scheme-error'],
      answer: { description: 'What became of it', schema: proposedSchema },
    },
    async ({ body: { objects, ...asked }, caller }) => {
      const faults: InputFault[] = [];
      const { clients } = await readScheme(deps.db);
      const wanted = objects.flatMap(({ kind, document, ends }, place): Wanted[] => {
        if (document === undefined) return [{ kind, id: ends ?? '', after: null }];
        const parsed = parseDocument(kind, kind === 'clients' ? withHashes(clients, document) : document);
        if (parsed.ok) {
          const after = parsed.value;
          return [{ kind, id: schemeIdOf(kind, after as never), after, isWhole: 'secrets' in document }];
        }
        const pointer = `/objects/${place}/document`;
        faults.push(...parsed.refusal.map(({ path, says }) => ({ pointer: pointer + path, detail: says })));
        return [];
      });
      for (const [place, { kind, id }] of wanted.entries()) {
        if (wanted.findIndex((one) => one.kind === kind && one.id === id) === place) continue;
        faults.push({ pointer: `/objects/${place}`, detail: `is ${kind} ${id}, which stands there before` });
      }
      if (faults.length > 0) return invalidRequest(faults, 'ADM-1');
      const by = caller.clientId;
      return answered(await propose(deps, { ...asked, by }, (scheme) => editsOf(scheme, wanted)));
    },
  );
  router.add(
    {
      ...acting,
      path: '/admin/imports',
      operationId: 'importScheme',
      summary: 'Import a scheme from an export',
      description:
        'The difference is one change (ADM-3); a preview only shows it. Objects that the import lacks stay, unless `endAbsent` is ' +
        'true; operators, and prices that an FX provider has, always stay. Repeating the import changes nothing.',
      body: newImportSchema,
      maxBodyBytes: largestImport,
      problems: ['scheme-error'],
      answer: { description: 'What became of it', schema: proposedSchema },
    },
    async ({ body: { scheme: lists, onlyNew = false, endAbsent = false, ...asked }, caller }) => {
      const parsed = parseScheme(lists);
      if (!parsed.ok) {
        const faults = parsed.refusal.map(({ kind, path, says }) => ({
          pointer: `/scheme/${kind}${path}`,
          detail: says,
        }));
        return invalidRequest(faults.slice(0, 100), 'ADM-3');
      }
      const edits = (scheme: Scheme) =>
        editsBetween(scheme, keepingSecrets(scheme, parsed.value, lists), { onlyNew, endAbsent }).filter(
          (edit) => !isOperator(edit),
        );
      return answered(await propose(deps, { ...asked, by: caller.clientId }, edits));
    },
  );
}

/**
 * Whether the edit changes an operator client. Imports never change these clients, because they belong to
 * this installation.
 */
const isOperator = ({ kind, before, after }: SchemeEdit): boolean =>
  kind === 'clients' && ((before ?? after) as ClientDocument).role === 'operator';

interface Wanted extends Pick<SchemeEdit, 'kind' | 'id' | 'after'> {
  readonly isWhole?: boolean;
}

function editsOf(scheme: Scheme, wanted: readonly Wanted[]): readonly SchemeEdit[] {
  return wanted.flatMap(({ kind, id, after, isWhole }): SchemeEdit[] => {
    const before = scheme[kind].get(id) ?? null;
    const kept = kind === 'clients' && isWhole !== true ? withSecretsOf(before, after) : after;
    return isSame(before, kept) ? [] : [{ kind, id, before, after: kept }];
  });
}

/**
 * Adds the stored values to secrets that the document names only by id. Callers never see the hashes, so they
 * cannot send them.
 */
function withHashes(clients: Scheme['clients'], document: Readonly<Record<string, unknown>>) {
  const { clientId, secrets } = document;
  if (!Array.isArray(secrets)) return document;
  const had = new Map(clients.get(String(clientId))?.secrets.map((one) => [one.secretId, one]));
  const complete = (one: unknown) =>
    typeof one === 'object' && one !== null && 'secretId' in one
      ? { ...had.get(String(one.secretId)), ...one }
      : one;
  return { ...document, secrets: secrets.map(complete) };
}

function withSecretsOf(before: SchemeDocument | null, after: SchemeDocument | null): SchemeDocument | null {
  const secrets = (before as ClientDocument | null)?.secrets ?? [];
  return after === null ? null : { ...(after as ClientDocument), secrets };
}

/** Keeps the stored secrets of each client for which the import states no secrets. */
function keepingSecrets(scheme: Scheme, imported: Scheme, lists: Readonly<Record<string, unknown>>): Scheme {
  const named = new Set(
    ((lists['clients'] ?? []) as readonly Readonly<Record<string, unknown>>[])
      .filter((one) => 'secrets' in one)
      .map((one) => one['clientId']),
  );
  const clients = [...imported.clients].map(
    ([id, one]) =>
      [
        id,
        named.has(id) ? one : (withSecretsOf(scheme.clients.get(id) ?? null, one) as ClientDocument),
      ] as const,
  );
  return { ...imported, clients: new Map(clients) };
}

async function propose(deps: ApiDependencies, asked: Asked, edits: Edits): Promise<JsonObject | Problem> {
  const { by, because, effectiveAt, preview } = asked;
  const policy = policyOf(deps);
  if (preview === true) {
    const scheme = await readScheme(deps.db);
    const objects = edits(scheme);
    const findings = checkEdits(scheme, objects, { ...policy, by });
    return proposed(
      { changeId: null, state: objects.length === 0 ? 'unchanged' : 'preview' },
      objects,
      findings,
    );
  }
  const outcome = await proposeChange(
    deps.db,
    { by, because, effectiveAt: effectiveAt ?? null, edits },
    policy,
  );
  if (outcome.kind === 'unchanged') return proposed({ changeId: null, state: 'unchanged' }, [], []);
  if (outcome.kind === 'refused') return refusedBy(outcome.findings);
  const { changeId, state, edits: made, findings } = outcome;
  return proposed({ changeId, state }, made, findings);
}

function proposed(
  head: { readonly changeId: string | null; readonly state: string },
  edits: readonly SchemeEdit[],
  findings: readonly Finding[],
): JsonObject {
  return { ...head, objects: edits.map(renderEdit), findings: findings.map(renderFinding) };
}

const answered = (outcome: JsonObject | Problem): Response | Problem =>
  isProblem(outcome) ? outcome : json(outcome);

const hour = 3_600_000;

function addSecrets(router: Router, deps: ApiDependencies): void {
  router.add(
    {
      ...acting,
      path: '/admin/clients/{clientId}/secrets',
      operationId: 'makeClientSecret',
      summary: 'Give a client another secret',
      description:
        'Only this answer contains the secret; Isthmus keeps a salted hash (ADM-4). The secret is valid as soon as a ' +
        "second operator has approved the change; the client's earlier secrets stay valid for `overlapHours`. An " +
        "operator's secret can be made only by that operator, and is valid at once (ADM-2).",
      params: z.object({ clientId: objectId.openapi({ example: 'LOTUSGS0' }) }),
      body: component('NewClientSecret', {
        because: words,
        overlapHours: z.int().min(0).max(2_160).optional().openapi({ description: 'Default: 24' }),
      }),
      problems: ['unknown-object', 'scheme-error'],
      answer: {
        description: 'The secret',
        schema: component('ClientSecret', {
          secret: z.string(),
          secretId: z.string(),
          change: proposedSchema,
        }),
      },
    },
    async ({ params: { clientId }, body: { because, overlapHours = 24 }, caller }) => {
      if (!(await readScheme(deps.db)).clients.has(clientId)) {
        return problem('unknown-object', {
          detail: `There is no client ${clientId}. Enter it first: POST /admin/changes.`,
        });
      }
      const { secret, hash } = await makeSecret();
      const secretId = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '');
      const endsAt = new Date(Date.now() + overlapHours * hour).toISOString();
      const change = await propose(deps, { because, by: caller.clientId }, (scheme) => {
        const before = scheme.clients.get(clientId);
        if (before === undefined) return [];
        const now = new Date().toISOString();
        const others = before.secrets
          // Without an overlap, remove the old secrets. An end time of "now" might still be in the future on
          // another machine's clock.
          .filter((one) => overlapHours > 0 && (one.endsAt === null || one.endsAt > now))
          .map((one) => ({
            ...one,
            endsAt: one.endsAt === null || one.endsAt > endsAt ? endsAt : one.endsAt,
          }));
        const after = { ...before, secrets: [...others, { secretId, hash, endsAt: null }] };
        return [{ kind: 'clients', id: clientId, before, after }];
      });
      return isProblem(change) ? change : json({ secret, secretId, change });
    },
  );
}

function addReading(router: Router, { db }: ApiDependencies): void {
  const reading = { ...acting, method: 'get' } as const;
  router.add(
    {
      ...reading,
      path: '/admin/changes',
      operationId: 'listSchemeChanges',
      summary: 'Changes of the scheme, newest first',
      query: z.object({
        state: z.enum(changeStates).optional(),
        kind: kindParameter.optional(),
        id: objectId
          .optional()
          .openapi({ example: idExample, description: 'Of the object, with its kind: as in its document' }),
        limit,
      }),
      answer: { description: 'Changes', schema: z.array(listedChangeSchema) },
    },
    async ({ query: { state, kind, id, limit: asked } }) => {
      const filter = compact({ states: state === undefined ? undefined : [state], kind, id });
      const changes = await listChanges(db, filter, sizeOf(asked));
      return json(changes.map(renderListed));
    },
  );
  router.add(
    {
      ...reading,
      path: '/admin/changes/{changeId}',
      operationId: 'readSchemeChange',
      summary: 'One change, with its difference',
      params: changeParams,
      problems: ['unknown-change'],
      answer: { description: 'The change', schema: changeSchema },
    },
    async ({ params: { changeId } }) => {
      const change = await findChange(db, changeId);
      return change === undefined ? problem('unknown-change') : json(renderChange(change));
    },
  );
}

const approval = z.strictObject({
  because: words,
  despiteProbes: z.boolean().optional().openapi({
    description: 'Approve even though a new endpoint has not answered its trial message; `because` says why',
  }),
});

const decisions = [
  [
    'approval',
    'approved',
    'approveSchemeChange',
    'Approve what another operator proposed: it takes effect at once, or at its time',
  ],
  ['refusal', 'refused', 'refuseSchemeChange', 'Refuse what another operator proposed'],
  ['withdrawal', 'withdrawn', 'withdrawSchemeChange', 'Take back what you proposed'],
] as const;

function addDeciding(router: Router, deps: ApiDependencies): void {
  for (const [name, decision, operationId, summary] of decisions) {
    router.add(
      {
        ...acting,
        path: `/admin/changes/{changeId}/${name}`,
        operationId,
        summary,
        params: changeParams,
        body: (decision === 'approved' ? approval : z.strictObject({ because: words })).openapi(
          `NewSchemeChange${name}`,
        ),
        problems: [
          'unknown-change',
          'change-not-pending',
          ...(decision === 'withdrawn' ? (['not-own-change'] as const) : (['own-change'] as const)),
          ...(decision === 'approved'
            ? (['change-outdated', 'endpoint-untried', 'scheme-error'] as const)
            : []),
        ],
        answer: { description: 'The change', schema: changeSchema },
      },
      async ({ params: { changeId }, body, caller }) => {
        const act = { changeId, decision, by: caller.clientId, ...body };
        const hindrance = await decideChange(deps.db, act, policyOf(deps));
        if (hindrance !== undefined) return refusalOf(hindrance, decision);
        const change = await findChange(deps.db, changeId);
        return change === undefined ? problem('unknown-change') : json(renderChange(change));
      },
    );
  }
}
