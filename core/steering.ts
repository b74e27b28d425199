/**
 * Characters that steer what shows a text rather than being shown: controls (C0, DEL, C1), separators of lines and paragraphs,
 * marks of direction. With them a text could clear a terminal, or read otherwise than it is.
 */
export const steering = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u;
