/**
 * Characters that steer what shows a text rather than being shown: controls (C0, DEL, C1), separators of lines and
 * paragraphs, marks of direction. With them a text could clear a terminal, or read otherwise than it is.
 */
export const steering = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u;

/**
 * Of these, what no honest text needs: controls, separators, embeddings and overrides, for which isolates do (UAX 9,
 * 2.7).
 */
const misleading = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e]/u;
/** Text, and isolates (LRI, RLI, FSI, each to its PDI) with nothing but text in them. */
const isolated = /^(?:[^\u2066-\u2069]|[\u2066-\u2068][^\u2066-\u2069]*\u2069)*$/u;

/**
 * Whether a text that is to be kept could read otherwise than it is. Right-to-left text needs the marks that
 * join a bracket or a number to its neighbours (LRM, RLM, ALM), and isolates for what is written the other way within
 * it; one that is not closed turns round what is shown after the text, and nested ones whole phrases (CVE-2021-42574).
 */
export const misleads = (text: string): boolean => misleading.test(text) || !isolated.test(text);
