// Cursors of lists that are ordered by time: each names the last row of a page. Anybody can write a cursor, so its
// content is checked against the form of a place.
import { uuidV4Pattern } from '../../core/ids.ts';
import type { ListPlace } from '../../core/list-place.ts';
import { readCursor, writeCursor } from './paging.ts';
import { momentOf } from './parameters.ts';

/** A time as Postgres writes it, `2026-01-05 04:00:00.123456+00`, and an id. */
const placeForm = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d(?:\.\d{1,6})?)([+-]\d\d)(:\d\d)?\/([0-9a-f-]{36})$/;

function isPlace(text: string): boolean {
  const [, day = '', time = '', hours = '', minutes = ':00', id = ''] = placeForm.exec(text) ?? [];
  return uuidV4Pattern.test(id) && momentOf(`${day}T${time}${hours}${minutes}`) !== undefined;
}

/** @param list path of the list */
export const cursorTo = (list: string, { at, id }: ListPlace): string => writeCursor(list, `${at}/${id}`);

/** Undefined if it is not a cursor of this list. */
export function placeAt(list: string, cursor: string): ListPlace | undefined {
  const [at, id] = readCursor(list, cursor, isPlace)?.split('/') ?? [];
  return at === undefined || id === undefined ? undefined : { at, id };
}
