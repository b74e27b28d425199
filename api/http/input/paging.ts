// Pages of lists: their size, the cursor of the next page, and its address in the Link header (RFC 8288).
import { createHash } from 'node:crypto';
import { z } from '@hono/zod-openapi';
import { uuidPattern } from '../../../core/ids.ts';
import type { ListPlace } from '../../../core/list-place.ts';
import type { JsonObject } from '../../../core/money/money.ts';
import { json } from '../response.ts';
import { problem, type Problem } from '../problems/problem.ts';
import { momentOf } from './parameters.ts';

const most = 500;

/** Schema of a list's `limit` parameter. */
export function pageLimit(usual: number) {
  return z
    .string()
    .refine((text) => /^[1-9]\d{0,2}$/.test(text) && Number(text) <= most, {
      error: `must be a whole number from 1 to ${most}`,
    })
    .optional()
    .openapi({
      type: 'integer',
      minimum: 1,
      maximum: most,
      default: usual,
      description: 'Largest number on a page (REF-2)',
    });
}

const cursor = z
  .string()
  .regex(/^[\w.-]{1,200}$/, 'is not a cursor')
  .optional()
  .openapi({ description: 'From the Link header of the previous page; opaque (REF-2)' });

const usualSize = 50;
export const limit = pageLimit(usualSize);
/** The parameters of a list that has pages. */
export const pageQuery = { limit, cursor };
export const sizeOf = (asked: string | undefined) => Number(asked ?? usualSize);
/** The member of a page that contains the address of the next page. */
export const nextPage = z
  .string()
  .nullable()
  .openapi({ description: 'Address of the next page; null: this is the last one' });

/**
 * Encodes a place in a list, with a check value. The check value detects a truncated cursor, or one of
 * another list. It is not secret, because the processes share no key. So a reader must also check the form of
 * the place.
 */
export function writeCursor(list: string, place: string): string {
  return `${Buffer.from(place).toString('base64url')}.${checkOf(list, place)}`;
}

/**
 * Reads the place from a cursor.
 * @param isPlace whether a text has the form of a place in this list; needed because anybody can compute the
 * check value
 * @returns the place; undefined if the text is not a cursor of this list
 */
export function readCursor(
  list: string,
  cursor: string,
  isPlace: (text: string) => boolean,
): string | undefined {
  const [place = '', check] = cursor.split('.');
  const text = Buffer.from(place, 'base64url').toString();
  return check === checkOf(list, text) && isPlace(text) ? text : undefined;
}

function checkOf(list: string, place: string): string {
  return createHash('sha256').update(`${list}\0${place}`).digest('base64url').slice(0, 8);
}

/** The address of a list and the query of the request. */
export interface AskedList {
  readonly publicUrl: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string | Date | readonly string[] | undefined>>;
}

/** Renders a page of a list, with the address of the next page in the body and in the Link header. */
export function page(list: AskedList, name: string, rows: readonly JsonObject[], next?: string): Response {
  if (next === undefined) return json({ [name]: rows, next: null });
  const { url, headers } = linkToNext(list, next);
  return json({ [name]: rows, next: url }, 200, headers);
}

/** Returns the address of the next page, and the Link header for it. */
export function linkToNext(
  { publicUrl, path, query }: AskedList,
  next: string,
): { readonly url: string; readonly headers: { readonly link: string } } {
  const asked = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && name !== 'cursor')
      asked.append(name, value instanceof Date ? value.toISOString() : value.toString());
  }
  asked.append('cursor', next);
  const url = `${publicUrl}${path}?${asked.toString()}`;
  return { url, headers: { link: `<${url}>; rel="next"` } };
}

export function invalidCursor(): Problem {
  return problem('invalid-cursor', {
    errors: [{ parameter: 'cursor', detail: 'is not a cursor of this list' }],
  });
}

/** A place is a time as Postgres writes it, such as `2026-01-05 04:00:00.123456+00`, and an id. */
const placeForm = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d(?:\.\d{1,6})?)([+-]\d\d)(:\d\d)?\/([0-9a-f-]{36})$/;

function isPlace(text: string): boolean {
  const [, day = '', time = '', hours = '', minutes = ':00', id = ''] = placeForm.exec(text) ?? [];
  return uuidPattern.test(id) && momentOf(`${day}T${time}${hours}${minutes}`) !== undefined;
}

/**
 * Returns the cursor of a list that is ordered by time. The cursor names the last row of a page.
 * @param list path of the list
 */
export const cursorTo = (list: string, { at, id }: ListPlace): string => writeCursor(list, `${at}/${id}`);

/** Returns the place in the list; undefined if the text is not a cursor of this list. */
export function placeAt(list: string, cursor: string): ListPlace | undefined {
  const [at, id] = readCursor(list, cursor, isPlace)?.split('/') ?? [];
  return at === undefined || id === undefined ? undefined : { at, id };
}
