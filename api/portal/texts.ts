// Every text of the portal, by language. A scheme adds its language by a catalogue of the same form.
import { english } from './texts-english.ts';

export type Texts = typeof english;

const catalogues: Readonly<Record<string, Texts>> = { en: english };

/** The first language that the browser asks for and that there is; else English. */
export function textsFor(acceptLanguage: string | undefined): Texts {
  const asked = (acceptLanguage ?? '').split(',').map((part) => part.trim().slice(0, 2).toLowerCase());
  return asked.map((language) => catalogues[language]).find((found) => found !== undefined) ?? english;
}
