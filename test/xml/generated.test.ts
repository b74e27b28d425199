// Our schemas restrict and never widen: what they take, the official ones take. Shown on messages made from our
// schemas; diagnose.test.ts breaks such messages at random, test/fuzz/intake.test.ts those of the fixtures.
import { describe, expect, test } from 'vitest';
import { XmlDocument } from 'libxml2-wasm';
import { messages, type MessageName } from '../../core/iso20022/messages.ts';
import type { XmlElement } from '../../core/iso20022/tree.ts';
import { readTree } from '../../xml/read-tree.ts';
import { writeOptions } from '../../xml/schemas.ts';
import { libxml2, officialFaults, officialNote, officialPresent } from './fixtures.ts';
import { generate, loadModel, pick, randomFrom } from './generate.ts';
import { samples } from '../harness/only-in-all.ts';

const perMessage = samples(1_000, 10_000);
const names = Object.keys(messages) as MessageName[];

async function isOurs(message: MessageName, bytes: Uint8Array): Promise<boolean> {
  const parsed = libxml2.parse(bytes, [message]);
  if (!parsed.ok) return false;
  const violations = await parsed.value.validate();
  parsed.value.dispose();
  return violations.length === 0;
}

describe(`${perMessage} messages made from our schema${officialNote}`, () => {
  test.each(names)('%s: all valid by our schema and by the official one', async (name) => {
    const model = loadModel(name);
    const random = randomFrom(20_221_121);
    for (let index = 0; index < perMessage; index += 1) {
      const text = generate(name, model, random);
      const faults = officialPresent ? officialFaults(name, text) : [];
      if (faults.length > 0 || !(await isOurs(name, Buffer.from(text)))) {
        expect.fail(`message ${index}: ${faults.join() || 'not valid by our schema'}\n${text}`);
      }
    }
  });
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
