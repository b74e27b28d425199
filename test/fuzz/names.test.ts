// Names over all that XML allows (NameStartChar, NameChar), as elements, attributes and prefixes, all the way from
// bytes to the answer: each answer can be built, is valid, and repeats nothing of the sender's own text (MSG-13,
// SEC-9).
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { composeRejection } from '../../activities/resolutions/resolution-messages.ts';
import { readRequestReferences } from '../../core/iso20022/acmt023.ts';
import { messages } from '../../core/iso20022/messages.ts';
import { answerPacs008, readPacs002 } from '../../core/iso20022/pacs002.ts';
import { readMessageKey, readPacs008References } from '../../core/iso20022/references.ts';
import { rejectionOf } from '../../core/iso20022/violation.ts';
import { additionalInformation, explain } from '../../core/rejections/explanation.ts';
import type { Rejection } from '../../core/rejections/rejection.ts';
import { requestRejectionOf } from '../../core/resolutions/resolution.ts';
import { samples } from '../harness/only-in-all.ts';
import { libxml2, readFixture, validTree } from '../xml/fixtures.ts';

const seed = Number(process.env['FUZZ_SEED'] ?? 20_261_121);
const runs = samples(25, 250); // of each kind and message

/** NameStartChar and NameChar of XML 1.0, fifth edition, without the colon, which makes a prefix. */
const startRanges: readonly (readonly [number, number])[] = [
  [0x41, 0x5a],
  [0x5f, 0x5f],
  [0x61, 0x7a],
  [0xc0, 0xd6],
  [0xd8, 0xf6],
  [0xf8, 0x2ff],
  [0x370, 0x37d],
  [0x37f, 0x1fff],
  [0x200c, 0x200d],
  [0x2070, 0x218f],
  [0x2c00, 0x2fef],
  [0x3001, 0xd7ff],
  [0xf900, 0xfdcf],
  [0xfdf0, 0xfffd],
  [0x10000, 0xeffff],
];
const moreRanges: typeof startRanges = [
  [0x2d, 0x2e],
  [0x30, 0x39],
  [0xb7, 0xb7],
  [0x300, 0x36f],
  [0x203f, 0x2040],
];
/**
 * Characters that have been trouble: marks that turn the direction, white space to JavaScript, case that folds,
 * joiners.
 */
const notorious = '\u061C\u1680\uFEFF\u200D\u0130\u0131\u017F\u212A\u0300\u115F\u3164\uFFFD';

const inRanges = (ranges: typeof startRanges) =>
  fc.oneof(...ranges.map(([min, max]) => fc.integer({ min, max }))).map((code) => String.fromCodePoint(code));
const startCharacter = fc.oneof(inRanges(startRanges), fc.constantFrom(...Array.from('\u061C\u1680\uFEFF')));
const nameCharacter = fc.oneof(
  inRanges([...startRanges, ...moreRanges]),
  fc.constantFrom(...Array.from(notorious)),
);
const marker = 'QZQ'; // in every name, so that a name that is repeated is seen
const name = fc
  .tuple(startCharacter, fc.string({ unit: nameCharacter, maxLength: 30 }))
  .map(([start, rest]) => `${start}${marker}${rest}`);

/** A message and a place in it: the start of one of its tags. */
const sources: readonly Source[] = [
  { message: 'pacs008', text: readFixture('pacs008', 'sg-th-full.xml').toString() },
  { message: 'acmt023', text: readFixture('acmt023', 'account.xml').toString() },
];
interface Source {
  readonly message: 'pacs008' | 'acmt023';
  readonly text: string;
}

const startTag = /<([A-Za-z]\w*)((?:\s[^<>]*)?)>/g;

function tagsOf(text: string): readonly RegExpExecArray[] {
  return [...text.matchAll(startTag)].slice(1); // after Document
}

type Breakage = (text: string, at: RegExpExecArray, given: string) => string;
const splice = (text: string, start: number, length: number, inserted: string) =>
  text.slice(0, start) + inserted + text.slice(start + length);

/** The element that starts at a tag, with another name. */
function renamed(text: string, at: RegExpExecArray, given: string): string {
  const old = at[1] ?? '';
  const end = text.indexOf(`</${old}>`, at.index);
  return splice(splice(text, end + 2, old.length, given), at.index + 1, old.length, given);
}

const breakages: Readonly<Record<string, Breakage>> = {
  'an element': (text, at, given) => splice(text, at.index, 0, `<${given}>x</${given}>`),
  'an empty element': (text, at, given) => splice(text, at.index, 0, `<${given}/>`),
  'an element of its own namespace': (text, at, given) =>
    splice(text, at.index, 0, `<${given} xmlns="urn:x">x</${given}>`),
  'an element within a leaf': (text, at, given) => splice(text, at.index + at[0].length, 0, `<${given}/>`),
  'a new name for an element': renamed,
  'an attribute': (text, at, given) => splice(text, at.index + 1 + (at[1] ?? '').length, 0, ` ${given}="1"`),
  'a prefix of an attribute': (text, at, given) =>
    splice(text, at.index + 1 + (at[1] ?? '').length, 0, ` xmlns:${given}="urn:x" ${given}:nil="true"`),
  'a prefix of an element': (text, at, given) =>
    renamed(text, at, `${given}:${at[1] ?? ''}`).replace(
      `<${given}:${at[1] ?? ''}`,
      `<${given}:${at[1] ?? ''} xmlns:${given}="urn:x"`,
    ),
};

/**
 * The answer to a message, built as the gateway builds it; undefined where it is refused before it could be answered.
 */
async function answerTo({ message, text }: Source): Promise<Rejection | undefined> {
  const parsed = libxml2.parse(Buffer.from(text), [message]);
  if (!parsed.ok) {
    expect(parsed.refusal.detail).toMatch(/^[ -~]+$/);
    expect(parsed.refusal.detail).not.toContain(marker);
    return undefined;
  }
  const { document } = parsed.value;
  const [violation] = await parsed.value.validate();
  parsed.value.dispose();
  const key = readMessageKey(message, document);
  if (violation === undefined || !key.ok) return undefined;
  const { messageIdentification, uetr = '' } = key.value;
  const own = {
    messageIdentification: 'ISTHMUS20261121000000000001',
    creationDateTime: '2026-11-21T04:00:01.000Z',
  };
  if (message === 'acmt023') {
    const rejection = requestRejectionOf(violation);
    const references = readRequestReferences(document, messageIdentification);
    const request = { resolutionId: '1', sourceSystem: 'SGDFAST', now: 0, references };
    const { message: answer } = await composeRejection(libxml2, request, rejection);
    await validTree('acmt024', answer.body);
    return rejection;
  }
  const rejection = rejectionOf(violation);
  const information = additionalInformation(rejection);
  const references = readPacs008References(
    document,
    { messageIdentification, uetr },
    messages.pacs008.identifier,
  );
  const answer = answerPacs008(references, {
    ...own,
    status: 'RJCT',
    reasonCode: rejection.isoCode,
    additionalInformation: [information],
  });
  const reading = readPacs002(await validTree('pacs002', answer));
  expect(reading).toMatchObject({ ok: true, value: { additionalInformation: [information] } });
  return rejection;
}

test.each(Array.from(notorious))(
  'a name with %s, legal in XML and not in a text of ours, is answered',
  async (character) => {
    for (const source of sources) {
      const [, at] = tagsOf(source.text);
      if (at === undefined) throw new Error('a message has tags');
      const text = splice(source.text, at.index, 0, `<a${character}/>`);
      expect(await answerTo({ ...source, text })).toMatchObject({ isoCode: 'FF01' });
    }
  },
);

describe.each(sources)('$message', (source) => {
  const tags = tagsOf(source.text);
  test.each(Object.entries(breakages))(
    '%s: every answer is valid and repeats no name of the sender',
    async (_, breakage) => {
      let answered = 0;
      await fc.assert(
        fc.asyncProperty(name, fc.nat({ max: tags.length - 1 }), async (given, index) => {
          const at = tags[index] ?? tags[0];
          if (at === undefined) return;
          const rejection = await answerTo({ ...source, text: breakage(source.text, at, given) });
          if (rejection === undefined) return;
          answered += 1;
          for (const told of [additionalInformation(rejection), explain(rejection), rejection.xpath ?? '']) {
            expect(told).toMatch(/^[ -~]*$/);
            expect(told).not.toContain(marker);
          }
        }),
        { numRuns: runs, seed },
      );
      expect(answered).toBeGreaterThan(runs / 4);
    },
  );
});
