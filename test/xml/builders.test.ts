// Every message that we build, from everything that can come in: what its schema allows makes a valid message that
// reads back as it was built; what its schema forbids can come from no valid message, and of one that is not valid it
// is left out (MSG-8, SEC-9). Messages are made from the schemas, so that each type is tried over all that it allows.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  buildForwardedAcmt023,
  readAcmt023,
  readRequestReferences,
  requestReferencesOf,
  type Acmt023,
  type RequestLeg,
} from '../../core/iso20022/acmt023.ts';
import { buildAcmt023 } from '../../fixtures/acmt023.ts';
import {
  answerAcmt023,
  passOnAcmt024,
  readAcmt024,
  type Acmt024,
  type Acmt024Statement,
} from '../../core/iso20022/acmt024.ts';
import { buildForwardedPacs008, buildPacs008, type ForwardedLeg } from '../../core/iso20022/build-pacs008.ts';
import { buildFxtr017, readFxtr017, type Fxtr017 } from '../../core/iso20022/fxtr017.ts';
import { messages, type MessageName } from '../../core/iso20022/messages.ts';
import {
  answerPacs008,
  buildPacs002,
  confirmPacs008,
  pacs008ReferencesOf,
  readPacs002,
  type Pacs002,
} from '../../core/iso20022/pacs002.ts';
import { readPacs008Throughout, type Pacs008 } from '../../core/iso20022/pacs008.ts';
import type { Rejection } from '../../core/rejections/rejection.ts';
import type { Result } from '../../core/result.ts';
import { enquireAboutPacs008 } from '../../core/iso20022/pacs028.ts';
import { readPacs028 } from '../harness/pacs028.ts';
import { compact } from '../../core/compact.ts';
import type { AgentIdentification } from '../../core/iso20022/parties.ts';
import { readMessageKey, readPacs008References } from '../../core/iso20022/references.ts';
import { elementAt, renderDocument, type XmlElement } from '../../core/iso20022/tree.ts';
import { libxml2, officialFaults, officialNote, officialPresent } from './fixtures.ts';
import { generate, loadModel, randomFrom } from './generate.ts';

const seed = Number(process.env['FUZZ_SEED'] ?? 20_261_121);
const runs = 200; // of each builder
const own = {
  messageIdentification: 'ISTHMUS20261121000000000001',
  creationDateTime: '2026-11-21T04:00:01.000Z',
};

/** The tree of a message of ours; fails where it is not valid. */
async function valid(name: MessageName, text: string): Promise<XmlElement> {
  const parsed = libxml2.parse(Buffer.from(text), [name]);
  if (!parsed.ok) throw new Error(`built a ${name} that is refused: ${parsed.refusal.detail}\n${text}`);
  const document = parsed.value.document();
  const violations = await parsed.value.validate();
  parsed.value.dispose();
  const faults = officialPresent ? officialFaults(name, text) : [];
  if (violations.length + faults.length > 0) {
    throw new Error(`built a ${name} that is not valid: ${JSON.stringify([violations, faults])}\n${text}`);
  }
  return document;
}

function valueOf<T>(reading: Result<T, Rejection>): T {
  if (!reading.ok) throw new Error(`${reading.refusal.key} ${reading.refusal.xpath ?? ''}`);
  return reading.value;
}

/** Random valid messages of a kind, as trees. */
function messagesOf(name: MessageName, offset = 0): () => Promise<XmlElement> {
  const model = loadModel(name);
  const random = randomFrom(seed + offset);
  return () => valid(name, generate(name, model, random));
}

async function repeatedly(work: () => Promise<void>): Promise<void> {
  for (let index = 0; index < runs; index += 1) await work();
}

const partOf = (document: XmlElement, path: string): XmlElement => {
  const element = elementAt(document, path);
  if (element === undefined) throw new Error(`no ${path}`);
  return element;
};

describe(`pacs.008${officialNote}`, () => {
  const next = messagesOf('pacs008');
  const value = async () => readPacs008Throughout(await next()).value;

  test('forwarded: any valid message, with the agents, accounts and amounts of any other', async () => {
    await repeatedly(async () => {
      const [received, other] = [await value(), await value()];
      const leg = compact<ForwardedLeg>({
        ...own,
        clearingSystemId: other.clearingSystemId,
        interbankSettlementAmount: other.interbankSettlementAmount,
        settlementDate: other.settlementDate ?? '2026-11-21',
        instructingAgent: other.debtorAgent,
        instructedAgent: other.creditorAgent,
        previousInstructingAgent1: other.charges[0].agent,
        previousInstructingAgent1Account: other.debtorAccount,
        intermediaryAgent2: other.charges[1].agent,
        intermediaryAgent2Account: other.creditorAccount,
      });
      const text = buildForwardedPacs008(received, leg);
      const forwarded = readPacs008Throughout(await valid('pacs008', text)).value;
      expect(forwarded.instructingAgent).toEqual(leg.instructingAgent);
      expect(forwarded.clearingSystemId).toBe(leg.clearingSystemId);
      expect(forwarded.intermediaryAgent2).toEqual(received.intermediaryAgent2 ?? leg.intermediaryAgent2);
      const passing = ['PmtId', 'PmtTpInf', 'Dbtr', 'Cdtr', 'DbtrAcct', 'CdtrAcct', 'RgltryRptg', 'RmtInf'];
      for (const name of passing) {
        const of = ({ transaction }: Pacs008) => transaction.children.filter((one) => one.name === name);
        expect(of(forwarded)).toEqual(of(received));
      }
    });
  });

  test('original: the values of any valid message', async () => {
    await repeatedly(async () => {
      const { transaction, acceptanceDateTime, ...values } = await value();
      const text = buildPacs008({
        ...values,
        acceptanceDateTime: acceptanceDateTime.text,
        debtor: { name: partOf(transaction, 'Dbtr/Nm').text },
        creditor: { name: partOf(transaction, 'Cdtr/Nm').text },
      });
      const built = readPacs008Throughout(await valid('pacs008', text)).value;
      const asOriginal = {
        previousInstructingAgent1: undefined,
        previousInstructingAgent1Account: undefined,
      };
      expect({ ...built, header: undefined, transaction: undefined }).toEqual({
        ...values,
        ...asOriginal,
        acceptanceDateTime,
        header: undefined,
        transaction: undefined,
      });
    });
  });
});

describe(`pacs.002 and pacs.028${officialNote}`, () => {
  test('pacs.002: what is read of any valid one, built again, reads the same', async () => {
    const next = messagesOf('pacs002');
    let read = 0;
    await repeatedly(async () => {
      const reading = readPacs002(await next());
      if (!reading.ok) return; // RJCT without reason
      read += 1;
      expect(valueOf(readPacs002(await valid('pacs002', buildPacs002(reading.value))))).toEqual(
        reading.value,
      );
    });
    expect(read).toBeGreaterThan(runs / 2);
  });

  test('every answer, confirmation and enquiry about any valid pacs.008', async () => {
    const next = messagesOf('pacs008', 1);
    await repeatedly(async () => {
      const document = await next();
      const { value } = readPacs008Throughout(document);
      const statement = { ...own, status: 'ACCC' } as const;
      const answer = valueOf(
        readPacs002(await valid('pacs002', answerPacs008(pacs008ReferencesOf(value), statement))),
      );
      expect(answer.instructingAgent).toEqual(value.instructedAgent);
      const confirmation = valueOf(
        readPacs002(await valid('pacs002', confirmPacs008(pacs008ReferencesOf(value), statement))),
      );
      expect(confirmation.original).toEqual(answer.original);
      const key = { messageIdentification: value.messageIdentification, uetr: value.uetr };
      const references = readPacs008References(document, key, messages.pacs008.identifier);
      expect(references.original).toEqual(answer.original); // nothing of a valid message is left out
      await valid('pacs002', answerPacs008(references, statement));
      const enquiry = valueOf(readPacs028(await valid('pacs028', enquireAboutPacs008(value, own))));
      expect(enquiry.original).toEqual(answer.original);
    });
  });

  test('AddtlInf: any text at all', async () => {
    const values: Omit<Pacs002, 'additionalInformation'> = {
      ...own,
      original: {
        messageIdentification: 'M1',
        messageNameId: 'pacs.008.001.13',
        uetr: '6f1f3a52-9d0c-4f7e-8a43-2f4b7a1c9e01',
      },
      status: 'RJCT',
      reasonCode: 'FF01',
    };
    const unit = fc.oneof(
      fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)), // lone surrogates too
      fc.integer({ min: 0, max: 0x10ffff }).map((code) => String.fromCodePoint(code)),
      fc.constantFrom(' ', '\u061C', '\u202E', '\u0085', '\uFFFE', '\r', '&', '<', ']]>'),
    );
    await fc.assert(
      fc.asyncProperty(fc.string({ unit, maxLength: 130 }), async (text) => {
        const built = buildPacs002({ ...values, additionalInformation: [text, 'and more'] });
        const { additionalInformation } = valueOf(readPacs002(await valid('pacs002', built)));
        expect(additionalInformation?.at(-1)).toBe('and more');
      }),
      { numRuns: runs, seed },
    );
  });
});

describe(`acmt.023 and acmt.024${officialNote}`, () => {
  const nextRequest = messagesOf('acmt023');
  const nextAnswer = messagesOf('acmt024');
  /** A valid message that its own rules let pass. */
  async function request(): Promise<Acmt023> {
    for (;;) {
      const reading = readAcmt023(await nextRequest());
      if (reading.ok) return reading.value;
    }
  }
  async function answer(): Promise<Acmt024> {
    for (;;) {
      const reading = readAcmt024(await nextAnswer());
      if (reading.ok) return reading.value;
    }
  }

  test('acmt.023 forwarded: any valid one, with what any valid answer found', async () => {
    await repeatedly(async () => {
      const [received, { found }] = [await request(), await answer()];
      const leg = compact<RequestLeg>({
        ...own,
        assignee: received.creditorAgent ?? { otherId: 'TH-PROXY' },
        country: received.destinationCountry,
        account: found?.account,
        creditorAgent: found?.agent,
      });
      const forwarded = valueOf(readAcmt023(await valid('acmt023', buildForwardedAcmt023(received, leg))));
      expect(forwarded.creditorAgent).toEqual(received.creditorAgent ?? found?.agent);
    });
  });

  test('acmt.023: the values of any valid one, in the name of any agent', async () => {
    await repeatedly(async () => {
      const [values, other] = [await request(), await request()];
      const assigner = other.creditorAgent ?? { bicfi: 'LOTUSGS0' };
      const built = valueOf(readAcmt023(await valid('acmt023', buildAcmt023({ ...values, assigner }))));
      expect({ ...built, request: undefined }).toEqual({ ...values, request: undefined });
    });
  });

  test('acmt.024: any valid answer passes on to whoever sent any valid request; ours to any valid request', async () => {
    await repeatedly(async () => {
      const [asked, said] = [await request(), await answer()];
      const references = requestReferencesOf(asked);
      const passed = valueOf(readAcmt024(await valid('acmt024', passOnAcmt024(said, references, own))));
      expect(passed).toMatchObject(
        compact({ verified: said.verified, reasonCode: said.reasonCode, found: said.found }),
      );
      const ours = answerAcmt023(
        references,
        compact<Acmt024Statement>({
          ...own,
          assigner: { otherId: 'ISTHMUS' },
          assignee: { otherId: 'SGDFAST' },
          verified: said.verified,
          reasonCode: said.reasonCode,
          asked: undefined,
          found: said.found,
        }),
      );
      const stated = valueOf(readAcmt024(await valid('acmt024', ours)));
      expect(stated.found ?? {}).toEqual(said.found ?? {});
      expect(stated.original.messageIdentification).toBe(asked.messageIdentification);
    });
  });
});

describe(`fxtr.017${officialNote}`, () => {
  /** What a notification names an institution by: the best identifier alone (NOT-2). */
  const named = ({ bicfi, lei, otherId, memberId }: AgentIdentification): AgentIdentification => {
    if (bicfi !== undefined) return { bicfi };
    if (lei !== undefined) return { lei };
    const id = otherId ?? memberId?.memberId;
    return id !== undefined && id.length <= 34 ? { otherId: id } : {}; // PtyNm has 34 characters: half an id would be that of another
  };
  const parties = ['sourcePsp', 'fxp', 'destinationSap', 'destinationPsp', 'sourceSap'] as const;

  test('the values of any valid one, and agents of any valid pacs.008: each by its best identifier', async () => {
    const next = messagesOf('fxtr017');
    const nextPayment = messagesOf('pacs008', 4);
    await repeatedly(async () => {
      const payment = readPacs008Throughout(await nextPayment()).value;
      const values: Fxtr017 = {
        ...valueOf(readFxtr017(await next())),
        sourcePsp: payment.debtorAgent,
        destinationPsp: payment.creditorAgent,
        sourceSap: payment.charges[0].agent,
        destinationSap: payment.charges[1].agent,
      };
      const built = valueOf(readFxtr017(await valid('fxtr017', buildFxtr017(values))));
      const expected = { ...values };
      for (const party of parties) expected[party] = named(values[party]);
      expect(built).toEqual(expected);
    });
  });
});

/** Every leaf of a tree, replaced in turn. */
function* withLeaf(root: XmlElement, text: string): Iterable<XmlElement> {
  if (root.children.length === 0) yield { ...root, text };
  for (const [index, child] of root.children.entries()) {
    for (const changed of withLeaf(child, text))
      yield { ...root, children: root.children.with(index, changed) };
  }
}

describe('of a message that is not valid, what its answer could not carry is left out', () => {
  const character = fc.oneof(
    fc.integer({ min: 0x20, max: 0xd7ff }).map((code) => String.fromCharCode(code)),
    fc.constantFrom(...Array.from('/ \u00A0\u1680\u2028\uFEFF\u202E\t')),
    fc.integer({ min: 0x10000, max: 0x10ffff }).map((code) => String.fromCodePoint(code)),
    fc.constantFrom(...Array.from('A0Z-:T.+')),
  );
  const text = fc.oneof(
    fc.string({ unit: character, maxLength: 50 }),
    fc
      .constantFrom(...Array.from('\u00A0\u1680\u2028\uFEFF\n'))
      .map((one) => `${one}2026-11-21T04:00:00Z${one}`),
    fc.constantFrom('LOTUSGS0\n', '2026-02-29T00:00:00Z', 'M1/', 'M1 ', 'é'),
  );
  const statement = { ...own, status: 'RJCT', reasonCode: 'FF01' } as const;

  test.each(['pacs008', 'acmt023'] as const)('%s', async (name) => {
    const document = await messagesOf(name, 2)();
    const whole = readMessageKey(name, document);
    if (!whole.ok) throw new Error('a valid message has its keys');
    await fc.assert(
      fc.asyncProperty(text, async (given) => {
        for (const changed of withLeaf(document, given)) {
          const key = readMessageKey(name, changed);
          if (!key.ok) continue;
          const { messageIdentification, uetr = '' } = key.value;
          if (name === 'pacs008') {
            const references = readPacs008References(
              changed,
              { messageIdentification, uetr },
              messages.pacs008.identifier,
            );
            await valid('pacs002', answerPacs008(references, statement));
          } else {
            const references = readRequestReferences(changed, messageIdentification);
            const ours = { ...own, assigner: { otherId: 'ISTHMUS' }, assignee: { otherId: 'SGDFAST' } };
            await valid(
              'acmt024',
              answerAcmt023(references, { ...ours, verified: false, reasonCode: 'FF01' }),
            );
          }
        }
      }),
      { numRuns: 40, seed },
    );
  });
});

test('a tree that is written out and read again is the same tree, whatever its texts are', async () => {
  const next = messagesOf('pacs008', 3);
  await repeatedly(async () => {
    const document = await next();
    expect(await valid('pacs008', renderDocument(messages.pacs008.namespace, document))).toEqual(document);
  });
});
