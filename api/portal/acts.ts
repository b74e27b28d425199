// Everything that a person can do in the portal: each act is a POST route of the API, with the fields of its body. The
// same table makes the form and reads it, so a page has no act of its own.
import { html } from 'hono/html';
import {
  documentFields,
  documentText,
  isJson,
  objectText,
  type MemberText,
  type SchemeObject,
  type Unreadable,
} from './document-form.ts';
import { instantOf, type Html } from './format.ts';
import type { Visit } from './visit.ts';

interface Field {
  readonly name: string;
  /**
   * `choices`: any number of values; `flag`: true or left out; `button`: true by a button of its own; `json`: any
   * JSON; `document`: the members of an object of the scheme, whose kind stands in `at`. Fields are required unless
   * `isOptional`.
   */
  readonly kind: 'text' | 'long' | 'number' | 'flag' | 'button' | 'choice' | 'choices' | 'json' | 'document';
  readonly values?: readonly string[];
  readonly isOptional?: boolean;
}

interface Act {
  /** Route of the API; `{names}` are filled in from the form. */
  readonly path: string;
  readonly fields: readonly Field[];
  /** The answer is shown, because it is shown once. */
  readonly showsAnswer?: true;
}

const because: Field = { name: 'because', kind: 'long' };
const note: Field = { name: 'note', kind: 'long', isOptional: true };
const effectiveAt: Field = { name: 'effectiveAt', kind: 'text', isOptional: true };
const finals = ['ACCC', 'RJCT', 'BLCK'] as const;
const toldKinds = ['callback', 'confirmation', 'notification', 'book'] as const;
const corridor = ['sourceCountry', 'sourceCurrency', 'destinationCountry', 'destinationCurrency'] as const;
const text = (name: string): Field => ({ name, kind: 'text' });

export const acts = {
  alert: {
    path: '/alerts/{alertId}/entries',
    fields: [{ name: 'action', kind: 'choice', values: ['take', 'note', 'close', 'reopen'] }, note],
  },
  case: {
    path: '/payments/{uetr}/entries',
    fields: [
      { name: 'action', kind: 'choice', values: ['take', 'note', 'close', 'reopen'] },
      note,
      { name: 'seen', kind: 'text', isOptional: true },
      { name: 'all', kind: 'flag', isOptional: true },
    ],
  },
  redeliver: {
    path: '/payments/{uetr}/redeliveries',
    fields: [
      {
        name: 'kinds',
        kind: 'choices',
        values: ['callback', 'confirmation', 'notification'],
        isOptional: true,
      },
    ],
  },
  redeliverAll: {
    path: '/redeliveries',
    fields: [
      { name: 'preview', kind: 'flag' },
      { name: 'kinds', kind: 'choices', values: toldKinds, isOptional: true },
      { name: 'party', kind: 'text', isOptional: true },
    ],
    showsAnswer: true,
  },
  enquire: { path: '/payments/{uetr}/enquiries', fields: [] },
  settle: {
    path: '/payments/{uetr}/outcomes',
    fields: [
      { name: 'status', kind: 'choice', values: finals },
      { name: 'reasonCode', kind: 'text', isOptional: true },
      { name: 'evidence', kind: 'long' },
    ],
  },
  confirmOutcome: {
    path: '/payments/{uetr}/outcomes/{outcomeId}/confirmation',
    fields: [{ name: 'status', kind: 'choice', values: finals }],
  },
  withdrawOutcome: { path: '/payments/{uetr}/outcomes/{outcomeId}/withdrawal', fields: [because] },
  pause: { path: '/parties/{party}/pause', fields: [because] },
  resume: { path: '/parties/{party}/resumption', fields: [because] },
  propose: {
    path: '/admin/changes',
    fields: [
      because,
      { name: 'objects', kind: 'json' },
      effectiveAt,
      { name: 'preview', kind: 'flag', isOptional: true },
    ],
    showsAnswer: true,
  },
  enter: {
    path: '/admin/changes',
    fields: [
      { name: 'objects', kind: 'document' },
      because,
      effectiveAt,
      { name: 'preview', kind: 'button' },
    ],
    showsAnswer: true,
  },
  end: {
    path: '/admin/changes',
    fields: [{ name: 'objects', kind: 'json' }, because, effectiveAt],
    showsAnswer: true,
  },
  approve: {
    path: '/admin/changes/{changeId}/approval',
    fields: [because, { name: 'despiteProbes', kind: 'flag', isOptional: true }],
  },
  refuse: { path: '/admin/changes/{changeId}/refusal', fields: [because] },
  withdraw: { path: '/admin/changes/{changeId}/withdrawal', fields: [because] },
  newSecret: {
    path: '/admin/clients/{clientId}/secrets',
    fields: [because, { name: 'overlapHours', kind: 'number', isOptional: true }],
    showsAnswer: true,
  },
  rotateDeliveryKey: {
    path: '/admin/delivery-keys',
    fields: [because, { name: 'withdraw', kind: 'flag', isOptional: true }],
  },
  rotateIssuerKey: {
    path: '/admin/issuer-keys',
    fields: [because, { name: 'withdraw', kind: 'flag', isOptional: true }],
  },
  trial: { path: '/endpoint-trials', fields: [] },
  rate: { path: '/api/v1/rates', fields: [...corridor.map(text), text('rate')], showsAnswer: true },
  tier: {
    path: '/api/v1/tier_improvements',
    fields: [text('unitCurrency'), text('threshold'), text('improvementBasisPoints')],
  },
  psp: {
    path: '/api/v1/psp_improvements',
    fields: [
      { name: 'pspIdType', kind: 'choice', values: ['BICFI', 'LEI'] },
      text('pspId'),
      text('improvementBasisPoints'),
    ],
  },
} as const satisfies Readonly<Record<string, Act>>;

export type ActName = keyof typeof acts;

export const actNamed = (name: string): Act | undefined =>
  Object.hasOwn(acts, name) ? acts[name as ActName] : undefined;

/** Between the values of `given` where a field may have several. */
export const severalBy = ', ';

export interface FormOptions {
  /** Values of `{names}` in the path. */
  readonly at?: Readonly<Record<string, string>>;
  /** Values that the reader does not choose. */
  readonly fixed?: Readonly<Record<string, string>>;
  readonly given?: Readonly<Record<string, string>>;
  /** The object of the scheme as it is, for a field of the kind `document`. */
  readonly document?: SchemeObject;
  /** Fields that mean nothing here. */
  readonly without?: readonly string[];
  /** Optional fields that are needed here. */
  readonly required?: readonly string[];
  /** What the button says; default: as in the catalogue. */
  readonly label?: string;
  /** Shown folded in, under its label. */
  readonly isFolded?: boolean;
}

/** The form of an act. Without JavaScript it works as it is. */
export function actForm(
  visit: Visit,
  name: ActName,
  {
    at = {},
    fixed = {},
    given = {},
    document,
    without = [],
    required = [],
    label,
    isFolded,
  }: FormOptions = {},
): Html {
  const { t, csrf, url } = visit;
  const { hint, label: usual } = t.acts[name];
  const says = label ?? usual;
  const shown = (acts[name].fields as readonly Field[])
    .filter(({ name: field }) => !(field in fixed) && !without.includes(field))
    .map((field) => (required.includes(field.name) ? { ...field, isOptional: false } : field));
  // without `seen`, which changes with the page: a form that a person has opened stays open
  const lasting = Object.entries(fixed).flatMap(([field, value]) => (field === 'seen' ? [] : [value]));
  const id = [name, ...Object.values(at), ...lasting].join('-').replaceAll(/[^\w-]/g, '-');
  const hidden = {
    csrf,
    back: `${url.pathname}${url.search}`,
    ...prefixed('at.', at),
    ...prefixed('f.', fixed),
  };
  const form = html`<form method="post" action="/portal/acts/${name}" class="card">
    ${Object.entries(hidden).map(([key, value]) => html`<input type="hidden" name="${key}" value="${value}" />`)}
    <div class="fields">
      ${shown.map((field) =>
        field.kind === 'document'
          ? documentFields(visit, { kind: at['kind'] ?? '', isNew: !('id' in at), document, given })
          : fieldOf(visit, field, { id, given: given[field.name] }),
      )}
      <button type="submit">${says}</button>
    </div>
    ${hint === undefined || Object.keys(fixed).length > 0 ? '' : html`<span class="hint">${hint}</span>`}
  </form>`;
  return isFolded
    ? html`<details id="${id}">
        <summary>${says}</summary>
        ${form}
      </details>`
    : form;
}

const prefixed = (prefix: string, values: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [prefix + key, value]));

function fieldOf({ t }: Visit, field: Field, { id, given }: { id: string; given: string | undefined }): Html {
  const { kind, name, values = [], isOptional } = field;
  const label = (t.fields as Readonly<Record<string, string>>)[name] ?? name;
  const key = `f.${name}`;
  const field_id = `${id}-${name}`;
  const required = isOptional || kind === 'flag' || kind === 'choices' ? '' : html`required`;
  const optional = isOptional && kind !== 'flag' ? html` <span class="hint">${t.words.optional}</span>` : '';
  if (kind === 'button') {
    return html`<button type="submit" name="${key}" value="true" class="plain">${label}</button>`;
  }
  if (kind === 'flag') {
    return html`<label for="${field_id}"
      ><input
        type="checkbox"
        id="${field_id}"
        name="${key}"
        value="true"
        ${given === 'true' ? html`checked` : ''}
      />
      ${label}</label
    >`;
  }
  if (kind === 'choices') {
    return html`<fieldset>
      <legend>${label}${optional}</legend>
      ${values.map(
        (value) =>
          html`<label
            ><input
              type="checkbox"
              name="${key}"
              value="${value}"
              ${given?.split(severalBy).includes(value) ? html`checked` : ''}
            />
            ${value}</label
          >`,
      )}
    </fieldset>`;
  }
  const input =
    kind === 'choice'
      ? html`<select id="${field_id}" name="${key}">
          ${values.map((value) => html`<option ${value === given ? html`selected` : ''}>${value}</option>`)}
        </select>`
      : kind === 'long' || kind === 'json'
        ? html`<textarea id="${field_id}" name="${key}" rows="${kind === 'json' ? 12 : 2}" ${required}>
${given ?? ''}</textarea>`
        : html`<input
            id="${field_id}"
            name="${key}"
            value="${given ?? ''}"
            ${name === 'effectiveAt' ? html`placeholder="2027-01-31 08:00"` : ''}
            autocomplete="off"
            ${required}
          />`;
  return html`<div><label for="${field_id}">${label}${optional}</label>${input}</div>`;
}

/** The path and the body that a form asks for, or the field that cannot be read. */
export function readAct(
  { path, fields }: Act,
  form: FormData,
): { readonly path: string; readonly bodyText: string } | Unreadable {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(textIn(form, `at.${name}`)),
  );
  const body = objectText(fields.map((field) => [field.name, memberOf(field, form)]));
  return typeof body === 'string' ? { path: filled, bodyText: body } : body;
}

function memberOf({ name, kind }: Field, form: FormData): MemberText {
  const key = `f.${name}`;
  const given = textIn(form, key).trim();
  switch (kind) {
    case 'flag':
      return given === 'true' || name === 'preview' ? String(given === 'true') : undefined;
    case 'button':
      return String(given === 'true');
    case 'choices': {
      const chosen = form.getAll(key).map(String);
      return chosen.length === 0 ? undefined : JSON.stringify(chosen);
    }
    case 'json':
      // it goes on as it was written: the API refuses repeated members, and keeps every digit
      return given === '' ? undefined : isJson(given) ? given : { unreadable: name };
    case 'document':
      return documentText((field) => textIn(form, field).trim());
    case 'number':
      return given === '' ? undefined : JSON.stringify(Number(given));
    case 'text':
    case 'long':
    case 'choice':
      return given === '' ? undefined : JSON.stringify(name === 'effectiveAt' ? instantOf(given) : given);
  }
}

export function textIn(form: FormData, name: string): string {
  const value = form.get(name);
  return typeof value === 'string' ? value : '';
}
