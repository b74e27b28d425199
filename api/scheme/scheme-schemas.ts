// JSON schemas of the scheme's data and changes, for scheme.ts and scheme-changes.ts.
import { z } from '@hono/zod-openapi';
import { canonical } from '../../core/scheme/canonical.ts';
import { differencesOf, type SchemeEdit } from '../../core/scheme/change.ts';
import {
  schemeKinds,
  type ClientDocument,
  type Scheme,
  type SchemeDocument,
  type SchemeKind,
} from '../../core/scheme/documents.ts';
import type { Finding } from '../../core/scheme/finding.ts';
import type { ListedChange, RecordedChange } from '../../db/scheme/changes.ts';
import { schemeForms } from '../../db/scheme/forms.ts';
import type { JsonObject, JsonValue } from '../../core/money/money.ts';
import { instant } from '../http/input/parameters.ts';
import { words } from '../operations/words.ts';
import { component } from '../http/component.ts';

export const kindParameter = z.enum(schemeKinds).openapi({ example: 'fee-formulas' });
/** The id of an object in the scheme, such as `TH:THB` for a fee formula or `TH-HARB:4711` for an account. */
export const objectId = z.string().regex(/^[!-~]{1,70}$/, 'must be 1 to 70 visible characters of ASCII');
/** An id of a fee formula, because fee formulas are the example of `kindParameter`. */
export const idExample = 'TH:THB';

const anyDocument = z.record(z.string(), z.unknown()).openapi({
  type: 'object',
  description: 'A document of the kind: GET /admin/scheme shows the forms',
});

const editSchema = z
  .strictObject({
    kind: kindParameter,
    document: anyDocument.optional().openapi({ description: 'The new content of the object' }),
    ends: objectId
      .optional()
      .openapi({ example: idExample, description: 'In place of a document: the id of the object that ends' }),
  })
  .refine(({ document, ends }) => (document === undefined) !== (ends === undefined), {
    error: 'must have either document or ends',
  });

const common = {
  because: words,
  effectiveAt: instant
    .optional()
    .openapi({ description: 'When it takes effect; default: as soon as possible' }),
  preview: z.boolean().optional().openapi({ description: 'Only show what it would change' }),
};

export const newChangeSchema = component('NewSchemeChange', {
  ...common,
  objects: z.array(editSchema).min(1).max(2_000),
});

export const newImportSchema = component('NewSchemeImport', {
  ...common,
  onlyNew: z.boolean().optional().openapi({ description: 'Leave existing objects unchanged' }),
  endAbsent: z.boolean().optional().openapi({ description: 'End objects that the import does not contain' }),
  scheme: z.record(z.string(), z.unknown()).openapi({
    type: 'object',
    description: 'By kind, lists of documents, as GET /admin/scheme answers',
  }),
});

const anyValue = z.unknown().openapi({ description: 'Any JSON value; null: it has none' });
const differenceSchema = z.object({
  path: z.string().openapi({
    description:
      'JSON Pointer within the document (RFC 6901). In a list of objects, what identifies the item stands in place of its ' +
      'position, as in `/secrets/secretId=1/endsAt`; a list of plain values differs as a whole',
  }),
  before: anyValue,
  after: anyValue,
});
const editShownSchema = z
  .object({
    kind: z.string(),
    id: z.string(),
    ends: z.boolean(),
    isNew: z.boolean(),
    differences: z.array(differenceSchema),
  })
  .openapi('SchemeEdit');
const findingSchema = z
  .object({
    severity: z.enum(['error', 'warning']),
    kind: z.string(),
    id: z.string(),
    path: z.string(),
    says: z.string(),
  })
  .openapi('SchemeFinding');

export const proposedSchema = z
  .object({
    changeId: z
      .string()
      .nullable()
      .openapi({ description: 'null: nothing was to change, or it was a preview' }),
    state: z.enum(['applied', 'pending', 'scheduled', 'unchanged', 'preview']),
    objects: z.array(editShownSchema),
    findings: z
      .array(findingSchema)
      .openapi({ description: 'What the change brings with it; warnings do not stop it' }),
  })
  .openapi('ProposedSchemeChange');

export const changeStates = ['applied', 'pending', 'scheduled', 'refused', 'withdrawn', 'outdated'] as const;
const changeMembers = {
  changeId: z.string(),
  state: z.enum(changeStates),
  proposedBy: z.string().openapi({ description: 'Client id, or the command that made it' }),
  proposedAt: z.string().openapi({ format: 'date-time' }),
  because: z.string(),
  effectiveAt: z.string().nullable().openapi({ format: 'date-time' }),
  needsApproval: z.boolean(),
  steps: z.array(
    z.object({
      step: z.enum(['approved', 'refused', 'withdrawn', 'applied', 'outdated']),
      by: z.string(),
      at: z.string().openapi({ format: 'date-time' }),
      because: z.string().nullable(),
    }),
  ),
  probes: z
    .array(
      z.object({
        url: z.string(),
        outcome: z.enum(['answered', 'failed']).nullable().openapi({ description: 'null: it is under way' }),
        says: z.string().nullable(),
      }),
    )
    .openapi({ description: 'Trial messages to the endpoints that it brings, sent by a worker (ADM-1)' }),
};
export const changeSchema = z
  .object({ ...changeMembers, objects: z.array(editShownSchema) })
  .openapi('SchemeChange');
export const listedChangeSchema = z
  .object({ ...changeMembers, objects: z.array(editShownSchema.omit({ differences: true })) })
  .openapi('ListedSchemeChange');

/** Any documents, because schemeForms validates them and fills in their defaults. */
const documentsOf = (kind: SchemeKind) =>
  z.array(anyDocument).openapi({ description: `Documents of ${kind}` });
export const schemeSchema = z
  .object(Object.fromEntries(schemeKinds.map((kind) => [kind, documentsOf(kind)])))
  .openapi('Scheme');
export const objectSchema = z
  .object({
    document: anyDocument.nullable().openapi({ type: ['object', 'null'], description: 'null: it has ended' }),
    secrets: z
      .array(
        z.object({ secretId: z.string(), endsAt: z.string().nullable().openapi({ format: 'date-time' }) }),
      )
      .optional()
      .openapi({ description: 'Of a client: those that it has, without their hashes (ADM-4)' }),
    history: z.array(changeSchema).openapi({ description: 'Changes of it, newest first' }),
  })
  .openapi('SchemeObject');
export const documentListSchema = z.array(anyDocument);

export const readinessSchema = z
  .object({
    isReady: z.boolean(),
    items: z.array(
      z.object({
        item: z.string(),
        isMet: z.boolean(),
        says: z.string().openapi({ description: 'What there is, or what to do' }),
      }),
    ),
  })
  .openapi('PartyReadiness');

/**
 * Hides the hashes of secrets. A difference still shows the id and end of each secret. It also shows whether
 * an existing id gets another secret, because approvers must see that.
 */
function withoutHashes(
  kind: SchemeKind,
  document: SchemeDocument,
  before: SchemeDocument | null,
): SchemeDocument {
  if (kind !== 'clients') return document;
  const had = new Map((before as ClientDocument | null)?.secrets.map((one) => [one.secretId, one.hash]));
  const client = document as ClientDocument;
  return {
    ...client,
    secrets: client.secrets.map((secret) => ({
      ...secret,
      hash:
        (had.get(secret.secretId) ?? secret.hash) === secret.hash ? '(not shown)' : '(another, not shown)',
    })),
  };
}

/** Renders members in the order of the form. Omits a client's secrets, unless hashes are requested. */
export function renderDocument(kind: SchemeKind, document: SchemeDocument, hashes = false): JsonObject {
  const shown = schemeForms[kind].parse(document) as unknown as JsonObject;
  if (kind !== 'clients' || hashes) return shown;
  return Object.fromEntries(Object.entries(shown).filter(([member]) => member !== 'secrets'));
}

/** Renders the ids and ends of the secrets of an existing client. */
export const renderSecrets = (kind: SchemeKind, document: SchemeDocument | undefined): JsonObject =>
  kind !== 'clients' || document === undefined
    ? {}
    : { secrets: (document as ClientDocument).secrets.map(({ secretId, endsAt }) => ({ secretId, endsAt })) };

export const renderScheme = (scheme: Scheme, hashes: boolean): JsonObject =>
  Object.fromEntries(
    schemeKinds.map((kind) => [
      kind,
      [...scheme[kind].values()].map((one) => renderDocument(kind, one, hashes)),
    ]),
  );

export function renderEdit(edit: SchemeEdit): JsonObject {
  const { kind, id, before, after } = edit;
  const differences = differencesOf({
    kind,
    before: before && withoutHashes(kind, canonical(kind, before as never), null),
    after: after && withoutHashes(kind, canonical(kind, after as never), before),
  });
  return {
    kind,
    id,
    ends: after === null,
    isNew: before === null,
    differences: differences.map((one) => ({
      path: one.path,
      before: (one.before ?? null) as JsonValue,
      after: (one.after ?? null) as JsonValue,
    })),
  };
}

export const renderFinding = (finding: Finding): JsonObject => ({ ...finding });

type Head = Omit<RecordedChange, 'edits'>;

const renderHead = ({
  changeId,
  state,
  proposedBy,
  proposedAt,
  because,
  effectiveAt,
  ...more
}: Head): JsonObject => ({
  ...{ changeId, state, proposedBy, proposedAt, because, effectiveAt },
  needsApproval: more.needsApproval,
  steps: more.steps.map((step) => ({ ...step, at: new Date(step.at) })),
  probes: more.probes.map((one) => ({ ...one })),
});

export const renderChange = (change: RecordedChange): JsonObject => ({
  ...renderHead(change),
  objects: change.edits.map(renderEdit),
});

export const renderListed = (change: ListedChange): JsonObject => ({
  ...renderHead(change),
  objects: change.edits.map((one) => ({ ...one })),
});
