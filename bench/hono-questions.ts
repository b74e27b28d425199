// What `npm run bench -- hono` asks: shared by the load and the measured process.

/**
 * input: path and query. body: a JSON body. cors: a page of a configured origin. etag: an answer that may be kept, its
 * tag made by Hono each time; kept etag: made once, and only compared.
 */
export const questions = ['input', 'body', 'cors', 'etag', 'kept etag'] as const;
export type Question = (typeof questions)[number];

export const sides = ['ours', 'hono'] as const;
type Side = (typeof sides)[number];

export type BySide<Value> = Readonly<Record<Question, Readonly<Record<Side, Value>>>>;
/** Addresses. */
export type HonoServerLine = BySide<string>;

export const origin = 'https://pages.test';
