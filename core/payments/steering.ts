/**
 * Characters that control the display instead of being visible: C0, DEL and C1 controls, line and paragraph separators,
 * direction marks. With them a text could clear a terminal, or look different from what it is.
 */
export const steering = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u;

/**
 * The subset that no honest text needs: controls, separators, and bidi embeddings and overrides. Isolates serve the
 * same purpose as the last two (UAX 9, 2.7).
 */
const misleading = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e]/u;
/** Text with isolates (LRI, RLI, FSI), each closed by its PDI and none nested. */
const isolated = /^(?:[^\u2066-\u2069]|[\u2066-\u2068][^\u2066-\u2069]*\u2069)*$/u;

/**
 * Whether a text could look different on the screen from what it is; the gateway then does not store it.
 * Right-to-left text needs direction marks (LRM, RLM, ALM) beside brackets and numbers, and isolates for
 * parts in the other direction. An unclosed isolate reverses what is displayed after the text; nested
 * isolates can reverse whole phrases (CVE-2021-42574).
 */
export const misleads = (text: string): boolean => misleading.test(text) || !isolated.test(text);
