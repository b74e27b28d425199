// The form of a document of the scheme: its fields come from the schema of its kind (db/scheme/forms.ts). The same
// schema reads the entered form back as JSON.
import { createHash } from 'node:crypto';
import { html } from 'hono/html';
import { z } from '@hono/zod-openapi';
import { schemeIdOf, schemeKinds, type SchemeKind } from '../../core/scheme/documents.ts';
import { schemeForms } from '../../db/scheme/forms.ts';
import type { Html } from './format.ts';
import type { Visit } from './visit.ts';

export type SchemeObject = Readonly<Record<string, unknown>>;

/** Tells whether an object is still the same. */
export const digestOf = (document: SchemeObject | null): string =>
  createHash('sha256').update(JSON.stringify(document)).digest('base64url').slice(0, 16);

/** The members of JSON Schema that are used here. */
interface Shape {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly anyOf?: readonly Shape[];
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly required?: readonly string[];
  readonly default?: unknown;
  readonly description?: string;
}

const shapes: ReadonlyMap<string, Shape> = new Map(
  schemeKinds.map((kind) => [kind, z.toJSONSchema(schemeForms[kind], { io: 'input' }) as unknown as Shape]),
);

/** Members that contain ids of other objects, by the kind of these objects. */
const references: { readonly [Kind in SchemeKind]?: readonly string[] } = {
  currencies: ['currencyCode', 'sourceCurrency', 'destinationCurrency', 'unitCurrency'],
  countries: ['countryCode', 'countryCodes', 'sourceCountry', 'destinationCountry'],
  operators: ['operatorId'],
  'clearing-systems': ['clearingSystemId'],
  'address-inputs': ['inputIds'],
  institutions: ['institutionId', 'sapId', 'ownerId', 'fxpId', 'pspId'],
};

/** The kind of the other object that a member of a document names; undefined: it names none. */
export function kindNamedBy(kind: string, member: string): SchemeKind | undefined {
  const named = schemeKinds.find((one) => references[one]?.includes(member));
  return named === kind && idMembersOf(kind).includes(member) ? undefined : named;
}

/** `TH:THB` is made of countryCode and currencyCode: with names in place of values, the id lists the members. */
function idMembersOf(kind: string): readonly string[] {
  const names = Object.keys(shapes.get(kind)?.properties ?? {});
  const document = Object.fromEntries(names.map((name) => [name, name]));
  return schemeIdOf(kind as SchemeKind, document as never).split(':');
}

/** Fields of their own for the members of an object that has all of its members; other objects are entered as JSON. */
const isGroup = ({ properties, required = [] }: Shape): boolean =>
  properties !== undefined && Object.keys(properties).every((name) => required.includes(name));

function withoutNull(shape: Shape): { readonly value: Shape; readonly isNullable: boolean } {
  const isNullable = shape.anyOf?.some(({ type }) => type === 'null') === true;
  const value = isNullable ? shape.anyOf.find(({ type }) => type !== 'null') : undefined;
  return { value: value ?? shape, isNullable };
}

interface FormOptions {
  readonly kind: string;
  /** The members of its id cannot be edited, because another id is another object. */
  readonly isNew: boolean;
  /** What the fields show at first; undefined: the defaults. */
  readonly document: SchemeObject | undefined;
  /** Values as entered, by path: `document.schemeFee.nominalFeeAmount`. */
  readonly given: Readonly<Record<string, string>>;
}

/** The fields of a document. Without `isNew`, it exists. */
export function documentFields(visit: Visit, options: FormOptions): Html {
  const shape = shapes.get(options.kind);
  if (shape === undefined) return '';
  const named = new Set(
    Object.keys(shape.properties ?? {}).flatMap((member) => kindNamedBy(options.kind, member) ?? []),
  );
  return html`<div class="document">
    ${membersOf(visit, options, { shape, path: 'document', values: options.document })}
    ${[...named].map((kind) => idList(visit, kind))}
  </div>`;
}

async function idList({ api }: Visit, kind: SchemeKind): Promise<Html> {
  const documents = (await api.find<readonly SchemeObject[]>(`/admin/scheme/${kind}`)) ?? [];
  return html`<datalist id="ids-of-${kind}">
    ${documents.map((one) => html`<option value="${schemeIdOf(kind, one as never)}"></option>`)}
  </datalist>`;
}

function membersOf(
  visit: Visit,
  options: FormOptions,
  { shape, path, values }: { readonly shape: Shape; readonly path: string; readonly values: unknown },
): readonly Html[] {
  return Object.entries(shape.properties ?? {}).map(([name, member]) => {
    const field = {
      name,
      shape: member,
      path: `${path}.${name}`,
      values: (values as SchemeObject | undefined)?.[name],
    };
    if (!isGroup(member)) {
      return fieldOf(visit, options, { ...field, isRequired: shape.required?.includes(name) === true });
    }
    return html`<fieldset>
      <legend>${name}</legend>
      ${membersOf(visit, options, field)}
    </fieldset>`;
  });
}

interface DocumentField {
  readonly name: string;
  readonly shape: Shape;
  readonly path: string;
  readonly values: unknown;
  readonly isRequired: boolean;
}

function fieldOf({ t }: Visit, { kind, isNew, given }: FormOptions, field: DocumentField): Html {
  const { name, path, shape } = field;
  const { value, isNullable } = withoutNull(shape);
  const isOptional = isNullable || !field.isRequired;
  const entered = given[path] ?? textOf(field.values ?? scalarDefaultOf(shape, field.values));
  const hint = shape.description ?? value.description;
  const id = path.replaceAll('.', '-');
  const attributes = html`id="${id}" name="f.${path}" ${isOptional ? '' : html`required`}
  ${hint === undefined ? '' : html`aria-describedby="${id}-hint"`}`;
  const choices = value.type === 'boolean' ? ['true', 'false'] : value.enum;
  const isPlain = choices !== undefined || ['string', 'integer', 'number'].includes(value.type ?? '');
  const named = kindNamedBy(kind, name);
  const isFixed = !isNew && idMembersOf(kind).includes(name);
  const input =
    choices !== undefined
      ? html`<select ${attributes}>
          ${[...(isOptional || entered === '' ? [''] : []), ...choices].map((choice) => {
            const says = { true: t.words.yes, false: t.words.no }[choice] ?? choice;
            return html`<option value="${choice}" ${choice === entered ? html`selected` : ''}>
              ${says}
            </option>`;
          })}
        </select>`
      : isPlain
        ? html`<input
            ${attributes}
            value="${entered}"
            autocomplete="off"
            ${isFixed ? html`readonly` : named === undefined ? '' : html`list="ids-of-${named}"`}
          />`
        : html`<textarea ${attributes} rows="3">${entered}</textarea>`;
  return html`<div>
    <label for="${id}"
      >${name} ${isOptional ? html`<span class="hint">${t.words.optional}</span>` : ''}
      ${isPlain ? '' : html`<span class="hint">${t.scheme.asJson}</span>`}</label
    >
    ${input} ${hint === undefined ? '' : html`<span class="hint" id="${id}-hint">${hint}</span>`}
  </div>`;
}

/** Lists and objects have none: an empty field leaves them out, and the API fills in its default. */
const scalarDefaultOf = (shape: Shape, value: unknown): unknown =>
  value === undefined && typeof shape.default !== 'object' ? shape.default : undefined;

function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  if (typeof value !== 'object') return JSON.stringify(value);
  const isFlat = Array.isArray(value) && value.every((item) => typeof item !== 'object');
  return isFlat ? JSON.stringify(value) : JSON.stringify(value, null, 1);
}

/** Names the field that is not JSON. */
export interface Unreadable {
  readonly unreadable: string;
}

/** The JSON text of a member; undefined: the member is left out. */
export type MemberText = string | undefined | Unreadable;

export function objectText(members: Iterable<readonly [string, MemberText]>): string | Unreadable {
  const texts: string[] = [];
  for (const [name, text] of members) {
    if (text === undefined) continue;
    if (typeof text !== 'string') return text;
    texts.push(`${JSON.stringify(name)}:${text}`);
  }
  return `{${texts.join(',')}}`;
}

/**
 * Reads the form back as the `objects` of POST /admin/changes. Numbers and JSON go on as they were written, so every
 * digit is kept.
 * @param entered the text of a field, without spaces around it
 */
export function documentText(entered: (name: string) => string): string | Unreadable {
  const kind = entered('at.kind');
  const shape = shapes.get(kind);
  if (shape === undefined) return { unreadable: 'kind' };
  const document = documentOf(shape, 'f.document', entered);
  if (typeof document !== 'string') return document;
  return `[{"kind":${JSON.stringify(kind)},"document":${document}}]`;
}

const documentOf = (shape: Shape, path: string, entered: (name: string) => string): string | Unreadable =>
  objectText(
    Object.entries(shape.properties ?? {}).map(([name, member]) => [
      name,
      isGroup(member)
        ? documentOf(member, `${path}.${name}`, entered)
        : memberText(name, member, entered(`${path}.${name}`)),
    ]),
  );

function memberText(name: string, shape: Shape, given: string): MemberText {
  const { value, isNullable } = withoutNull(shape);
  if (given === '') return isNullable ? 'null' : undefined;
  if (value.type === 'string') return JSON.stringify(given);
  if (isJson(given)) return given;
  // the API refuses text in place of a number, and says what it expects
  return ['array', 'object'].includes(value.type ?? '') ? { unreadable: name } : JSON.stringify(given);
}

export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
