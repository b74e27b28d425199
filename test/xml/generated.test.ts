// Our schemas restrict and never widen: what they take, the official ones take. Shown on messages made from our
// schemas, and on the same messages broken at random.
import { describe, expect, test } from 'vitest';
import { XmlDocument } from 'libxml2-wasm';
import { messages, type MessageName } from '../../core/iso20022/messages.ts';
import { readPacs008 } from '../../core/iso20022/pacs008.ts';
import type { XmlElement } from '../../core/iso20022/tree.ts';
import { readTree } from '../../xml/read-tree.ts';
import { writeOptions } from '../../xml/schemas.ts';
import { libxml2, officialFaults, officialNote, officialPresent } from './fixtures.ts';
import { generate, loadModel, pick, randomFrom } from './generate.ts';

const perMessage = 10_000;
const mutations = 5_000; // of the reading alone: test/fuzz/intake.test.ts breaks four times as many on the whole way
const mutationsPerMessage = 5;
const names = Object.keys(messages) as MessageName[];

async function isOurs(message: MessageName, bytes: Uint8Array): Promise<boolean> {
  const parsed = libxml2.parse(bytes, [message]);
  if (!parsed.ok) return false;
  const violations = await parsed.value.validate();
  parsed.value.dispose();
  return violations.length === 0;
}

describe(`${perMessage} messages made from our schema${officialNote}`, () => {
  test.each(names)(
    '%s: all valid by our schema and by the official one',
    { timeout: 180_000 },
    async (name) => {
      const model = loadModel(name);
      const random = randomFrom(20_221_121);
      for (let index = 0; index < perMessage; index += 1) {
        const text = generate(name, model, random);
        const faults = officialPresent ? officialFaults(name, text) : [];
        if (faults.length > 0 || !(await isOurs(name, Buffer.from(text)))) {
          expect.fail(`message ${index}: ${faults.join() || 'not valid by our schema'}\n${text}`);
        }
      }
    },
  );
});

/** The tree as the public API of libxml2 shows it, node by node. */
function walk(node: NonNullable<XmlDocument['root']>): XmlElement {
  const children: XmlElement[] = [];
  let text = '';
  for (let child = node.firstChild; child !== null; child = child.next) {
    if ('attrs' in child) children.push(walk(child as typeof node));
    else text += child.content;
  }
  const attributes = Object.fromEntries(node.attrs.map((attribute) => [attribute.name, attribute.value]));
  return { name: node.name, attributes, children, text: children.length === 0 ? text : '' };
}

test('the tree that is read is the tree that libxml2 holds, node for node (MSG-8)', () => {
  const random = randomFrom(7);
  for (const name of names) {
    const model = loadModel(name);
    for (let index = 0; index < 300; index += 1) {
      const spaced = generate(name, model, random).replaceAll('><', pick(random, ['><', '>\n<', '>\r\n\t<']));
      const document = XmlDocument.fromString(spaced);
      expect(readTree(document.toString(writeOptions)).root).toEqual(walk(document.root));
      document.dispose();
    }
  }
});

const junk = [
  '',
  ' ',
  '\0',
  '&',
  '<',
  '>',
  ']]>',
  '&#x0;',
  '&amp;',
  '-',
  '+',
  '.',
  '/',
  '//',
  '0',
  'Z',
  '9'.repeat(400),
  '\u202E',
  '\u{1F600}',
  '<!-- -->',
  '<x/>',
  'xsi:nil="true"',
];

/** Breaks a message in one place: bytes, elements or values. */
function mutate(text: string, random: () => number): string {
  const at = Math.floor(random() * text.length);
  const tags = [...text.matchAll(/<(\w+)[^<>]*>[^<>]*<\/\1>/g)];
  const one = pick(random, tags);
  const other = pick(random, tags);
  switch (Math.floor(random() * 8)) {
    case 0:
      return text.slice(0, at) + pick(random, junk) + text.slice(at);
    case 1:
      return text.slice(0, at) + text.slice(at + Math.floor(random() * 20));
    case 2:
      return text.replace(one[0], ''); // an element less
    case 3:
      return text.replace(one[0], one[0] + one[0]); // an element twice
    case 4:
      return text.replace(one[0], one[0].replace(/>[^<>]*</, `>${pick(random, junk)}<`)); // another value
    case 5:
      return text.replace(one[0], one[0].replace(/>[^<>]*</, />[^<>]*</.exec(other[0])?.[0] ?? '><')); // a value of another
    case 6:
      return text.replace(one[0], other[0]); // another element in its place
    default:
      return text.slice(0, at) + String.fromCharCode(Math.floor(random() * 0x250)) + text.slice(at + 1);
  }
}

test(
  `${mutations} messages broken at random: no crash, no wrong accept, none longer than a second${officialNote}`,
  { timeout: 240_000 },
  async () => {
    const random = randomFrom(42);
    const models = new Map(names.map((name) => [name, loadModel(name)]));
    let name: MessageName = 'pacs008';
    let whole = '';
    let accepted = 0;
    let slowestMs = 0;
    for (let index = 0; index < mutations; index += 1) {
      if (index % mutationsPerMessage === 0) {
        name = random() < 0.6 ? 'pacs008' : pick(random, names);
        whole = generate(name, models.get(name) ?? loadModel(name), random);
      }
      const broken = mutate(whole, random);
      const start = performance.now();
      const isAccepted = await isOurs(name, Buffer.from(broken));
      slowestMs = Math.max(slowestMs, performance.now() - start);
      if (!isAccepted) continue;
      accepted += 1;
      if (officialPresent) expect(officialFaults(name, broken), broken).toEqual([]);
      const parsed = libxml2.parse(Buffer.from(broken), [name]);
      if (!parsed.ok) throw new Error('what was taken once is taken again');
      if (name === 'pacs008') readPacs008(parsed.value.document); // a rejection or values, never an exception
      parsed.value.dispose();
    }
    expect(accepted).toBeGreaterThan(mutations / 20);
    expect(accepted).toBeLessThan(mutations / 2);
    expect(slowestMs).toBeLessThan(1_000);
  },
);
