// The requests of `npm run bench -- hono`, shared by the load generator and the measured process.

/**
 * input: path and query. body: a JSON body. cors: a page of a configured origin. etag: a cacheable answer whose tag
 * Hono computes each time. kept etag: the tag is computed once, then only compared.
 */
export const questions = ['input', 'body', 'cors', 'etag', 'kept etag'] as const;
export type Question = (typeof questions)[number];

export const sides = ['ours', 'hono'] as const;
type Side = (typeof sides)[number];

export type BySide<Value> = Readonly<Record<Question, Readonly<Record<Side, Value>>>>;
/** The address of each question on each side. */
export type HonoServerLine = BySide<string>;

export const origin = 'https://pages.test';
