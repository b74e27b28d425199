// The schemas for parties' answers accept all that ISO 20022 accepts. They accept more only inside elements that no
// code reads. The official schemas decide.
import { describe, expect, test } from 'vitest';
import { passOnAcmt024, type Acmt024 } from '../../core/iso20022/acmt024.ts';
import { answerPacs008, type Pacs002 } from '../../core/iso20022/pacs002.ts';
import { messages } from '../../core/iso20022/messages.ts';
import { renderDocument, type XmlElement } from '../../core/iso20022/tree.ts';
import { particleNamed, type ComplexType, type SchemaModel } from '../../xml/schema-model.ts';
import { parseMessage } from '../../xml/read-message.ts';
import {
  guidelineFaults,
  libxml2,
  officialFaults,
  officialNote,
  officialPresent,
  readFixture,
} from './fixtures.ts';
import { samples } from '../harness/only-in-all.ts';
import { generateTree, intakeModel, officialModel, pick, randomFrom } from './generate.ts';

const perMessage = samples(300, 3_000);
const names = ['pacs002', 'acmt024'] as const;
type Name = (typeof names)[number];
const statuses = ['ACCC', 'RJCT', 'BLCK', 'ACWP', 'ACTC'];

/** The official schema with our own conditions: one transaction or report, its UETR and a status that we know. */
function conditioned(name: Name): SchemaModel {
  const { complexTypes, simpleTypes } = officialModel(name);
  const once = ['TxInfAndSts', 'OrgnlUETR', 'TxSts', 'Rpt'];
  const narrowed = ([typeName, type]: [string, ComplexType]) =>
    [
      typeName,
      {
        ...type,
        options: type.options.map((option) =>
          option.map((one) => (once.includes(one.name) ? { ...one, min: 1, max: 1 } : one)),
        ),
      },
    ] as const;
  const known = {
    base: 'xs:string',
    documentation: '',
    leftOut: new Set<string>(),
    facets: statuses.map((value) => ({ name: 'enumeration', value })),
  };
  return {
    complexTypes: new Map([...complexTypes].map(narrowed)),
    simpleTypes: new Map([...simpleTypes, ['ExternalPaymentTransactionStatus1Code', known]]),
  };
}

const textOf = (name: Name, tree: XmlElement) => renderDocument(messages[name].namespace, tree);

const isTaken = async (name: Name, text: string) => (await parseMessage(libxml2, name, Buffer.from(text))).ok;

const ours = { messageIdentification: 'OURS', creationDateTime: '2026-01-01T00:00:00Z' };
const original = {
  ...ours,
  messageNameId: 'pacs.008.001.13',
  uetr: '11111111-1111-4111-8111-111111111111',
  verificationId: 'V',
};

/** The message that the source gets: status with reason, or the answer itself. */
function passedOn(name: Name, values: Pacs002 | Acmt024): string {
  if (name === 'acmt024') return passOnAcmt024(values as Acmt024, original, ours);
  const { status, reasonCode, proprietaryReason } = values as Pacs002;
  const words = proprietaryReason === undefined ? {} : { additionalInformation: [proprietaryReason] };
  return answerPacs008({ original }, { ...ours, status, ...(reasonCode && { reasonCode }), ...words });
}

/** Without the elements that the intake schema leaves open: all of them are optional in ISO 20022. */
function withoutUnread(model: SchemaModel, tree: XmlElement, typeName = 'Document'): XmlElement {
  const type = model.complexTypes.get(typeName);
  if (type === undefined) return tree;
  const children = tree.children.flatMap((child) => {
    const inner = particleNamed(type, child.name)?.type;
    if (inner === undefined) return [child];
    return model.complexTypes.get(inner)?.kind === 'open' ? [] : [withoutUnread(model, child, inner)];
  });
  return { ...tree, children };
}

const withChildren = (tree: XmlElement, children: readonly XmlElement[]): XmlElement => ({
  ...tree,
  children: [...children],
});

/** Removes, doubles, renames, moves or changes a random element of the tree. */
function mutated(tree: XmlElement, random: () => number): XmlElement {
  const { children } = tree;
  if (children.length === 0)
    return { ...tree, text: pick(random, ['', ' ', 'x', '1', 'ACSC', 'x'.repeat(36)]) };
  const at = Math.floor(random() * children.length);
  const chosen = children[at];
  if (chosen === undefined) return tree;
  const others = children.filter((_, index) => index !== at);
  const replaced = (one: XmlElement) => children.map((child, index) => (index === at ? one : child));
  switch (random() < 0.6 ? 'inside' : pick(random, ['lost', 'doubled', 'renamed', 'moved'])) {
    case 'lost':
      return withChildren(tree, others);
    case 'doubled':
      return withChildren(tree, [...children.slice(0, at), chosen, ...children.slice(at)]);
    case 'renamed':
      return withChildren(
        tree,
        replaced({ ...chosen, name: pick(random, ['TxSts', 'Unknown', 'Cd', 'Prtry']) }),
      );
    case 'moved':
      return withChildren(tree, [...others, chosen]);
    default:
      return withChildren(tree, replaced(mutated(chosen, random)));
  }
}

describe(`${perMessage} messages of each kind${officialNote}`, () => {
  test.runIf(officialPresent).each(names)(
    '%s: whatever the official schema takes counts (PAY-11, RES-2)',
    async (name) => {
      const model = conditioned(name);
      const random = randomFrom(20_260_401);
      for (let index = 0; index < perMessage; index += 1) {
        const text = textOf(name, generateTree(model, random));
        expect(officialFaults(name, text), text).toEqual([]);
        const reading = await parseMessage(libxml2, name, Buffer.from(text));
        if (!reading.ok) expect.fail(`message ${index}: ${reading.refusal.reason}\n${text}`);
        const passed = passedOn(name, reading.value);
        expect(officialFaults(name, passed), passed).toEqual([]);
        if (name === 'pacs002') expect(guidelineFaults(name, passed), passed).toEqual([]);
        expect(await isTaken(name, passed), passed).toBe(true);
      }
    },
  );

  test.runIf(officialPresent).each(names)(
    '%s: what counts beyond that differs only inside elements that nobody reads (PAY-11, RES-2)',
    async (name) => {
      const intake = intakeModel(name);
      const random = randomFrom(11);
      let changedVerdicts = 0;
      for (let index = 0; index < perMessage; index += 1) {
        const valid = generateTree(random() < 0.5 ? intake : conditioned(name), random);
        const tree = random() < 0.2 ? valid : mutated(valid, random);
        const counts = await isTaken(name, textOf(name, tree));
        const core = textOf(name, withoutUnread(intake, tree));
        const official = officialFaults(name, core);
        if (!counts) changedVerdicts += 1;
        if (counts) expect(official, core).toEqual([]);
      }
      expect(changedVerdicts).toBeGreaterThan(perMessage / 20); // enough changes break messages
    },
  );
});

const credited = readFixture('pacs002', 'credited.xml').toString();
const transaction = /<TxInfAndSts>[^]*<\/TxInfAndSts>/.exec(credited)?.[0] ?? '';

test.each([
  [
    'an element that ISO 20022 does not have',
    (text: string) => text.replace('<TxSts>', '<Sts>OK</Sts><TxSts>'),
  ],
  ['no status', (text: string) => text.replace(/<TxSts>.*<\/TxSts>/, '')],
  ['a status that the scheme does not know', (text: string) => text.replace('>ACCC<', '>ACSC<')],
  ['a second transaction', (text: string) => text.replace(transaction, transaction + transaction)],
  ['another namespace', (text: string) => text.replace('<TxSts>', '<TxSts xmlns="urn:other">')],
  [
    'a type of its own',
    (text: string) =>
      text.replace('<TxSts>', '<TxSts xmlns:i="http://www.w3.org/2001/XMLSchema-instance" i:type="x">'),
  ],
])('a pacs.002 with %s counts for nothing (PAY-11)', async (_, change) => {
  expect(await isTaken('pacs002', credited)).toBe(true);
  expect(change(credited)).not.toBe(credited);
  expect(await isTaken('pacs002', change(credited))).toBe(false);
});

test('what stands inside an element that nobody reads is not read (PAY-11)', async () => {
  const unread =
    '<SplmtryData><Envlp><TxInfAndSts><TxSts>RJCT</TxSts></TxInfAndSts>' +
    '<a:b xmlns:a="urn:a" a:c="1">text<a:d/></a:b></Envlp></SplmtryData></TxInfAndSts>';
  const reading = await parseMessage(
    libxml2,
    'pacs002',
    Buffer.from(credited.replace('</TxInfAndSts>', unread)),
  );
  expect(reading).toMatchObject({ ok: true, value: { status: 'ACCC' } });
});

test.each([
  ['<CreDtTm> \t\r\n $1</CreDtTm>'],
  ['<CreDtTm>$1 \n</CreDtTm>'],
  ['<CreDtTm>\n  2026-01-01T00:00:00\n</CreDtTm>'], // without a zone
  ['<CreDtTm>&#10;$1&#32;</CreDtTm>'],
])('white space around a date undoes nothing, as in XML Schema: %j (PAY-11)', async (spaced) => {
  const report = answerPacs008({ original }, { ...ours, status: 'ACCC' });
  const changed = report.replace(/<CreDtTm>(.*?)<\/CreDtTm>/, spaced);
  expect(changed).not.toBe(report);
  expect(await isTaken('pacs002', changed)).toBe(true);
});

test.each([
  ['2026-02-30T00:00:00Z', 'not valid'],
  ['x', 'CreDtTm: must be: Date and time'],
])('no date (%j) counts for nothing (PAY-11, MSG-13)', async (text, reason) => {
  const report = answerPacs008({ original }, { ...ours, status: 'ACCC' });
  const changed = report.replace(/<CreDtTm>.*?</, `<CreDtTm>${text}<`);
  const reading = await parseMessage(libxml2, 'pacs002', Buffer.from(changed));
  expect(reading.ok ? '' : reading.refusal.reason).toContain(reason);
});

test('white space before what looks like a date in another element stays (MSG-8)', async () => {
  const text = ' 2026-05-01';
  const report = answerPacs008(
    { original },
    { ...ours, status: 'RJCT', reasonCode: 'NARR', additionalInformation: ['WORDS'] },
  );
  const reading = await parseMessage(libxml2, 'pacs002', Buffer.from(report.replace('WORDS', text)));
  expect(reading.ok && reading.value.additionalInformation).toEqual([text]);
});
