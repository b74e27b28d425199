// The XML engines: what they accept, what they refuse and why, and that both agree.
import { existsSync } from 'node:fs';
import { XmlDocument } from 'libxml2-wasm';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { messages, type MessageName } from '../../core/iso20022/messages.ts';
import { readPacs008 } from '../../core/iso20022/pacs008.ts';
import { rejectionOf } from '../../core/iso20022/violation.ts';
import type { XmlEngine } from '../../xml/engine.ts';
import { createLibxml2Engine } from '../../xml/libxml2.ts';
import { createXercesEngine } from '../../xml/xerces.ts';
import {
  allFixtures,
  libxml2,
  lotus,
  officialFaults,
  officialFolder,
  officialNote,
  officialPresent,
  validTree,
} from './fixtures.ts';
import { refusedByReading, refusedBySchema, type RefusedMessage } from './refused-messages.ts';

async function violationsOf(engine: XmlEngine, bytes: Uint8Array, message: MessageName = 'pacs008') {
  const parsed = engine.parse(bytes, [message]);
  if (!parsed.ok) throw new Error(parsed.refusal.detail);
  try {
    return await parsed.value.validate();
  } finally {
    parsed.value.dispose();
  }
}

const fullPath = (path: string) =>
  path === '' ? '/Document' : `/Document/${messages.pacs008.messageElement}/${path}`;

/** The rejection without its words, which explanation.test.ts checks. */
function expected({ key, isoCode, ruleId, path }: RefusedMessage) {
  return { key, isoCode, ruleId, xpath: fullPath(path) };
}

describe('valid messages', () => {
  test.each(allFixtures())('$name is valid by our schema', async ({ message, bytes }) => {
    await expect(validTree(message, bytes)).resolves.toMatchObject({ name: 'Document' });
  });

  test.skipIf(!officialPresent).each(allFixtures())(
    `$name is valid by the official schema${officialNote}`,
    ({ message, bytes }) => {
      expect(officialFaults(message, bytes)).toEqual([]);
    },
  );
});

describe('the tree of a message', () => {
  afterEach(() => vi.restoreAllMocks());
  const opened = () => {
    const parsed = libxml2.parse(Buffer.from(lotus), ['pacs008']);
    if (!parsed.ok) throw new Error(parsed.refusal.detail);
    return parsed.value;
  };

  test('is made only when it is read, once: a valid message is validated without it', async () => {
    const serialised = vi.spyOn(XmlDocument.prototype, 'toString');
    const message = opened();
    expect(await message.validate()).toEqual([]);
    expect(serialised).not.toHaveBeenCalled();
    expect(message.document()).toBe(message.document());
    expect(serialised).toHaveBeenCalledOnce();
    message.dispose();
  });

  test('outlives the message; not read before the end of the message, it is a defect', () => {
    const message = opened();
    const document = message.document();
    message.dispose();
    expect(message.document()).toBe(document);
    const unread = opened();
    unread.dispose();
    expect(() => unread.document()).toThrow('libxml2 writes documents that end');
  });
});

describe('what the schema refuses, with code, rule and XPath (MSG-4, MSG-5)', () => {
  test.each(refusedBySchema)('$fault: $isoCode, $ruleId', async (message) => {
    const [violation] = await violationsOf(libxml2, Buffer.from(message.text));
    expect(violation && rejectionOf(violation)).toMatchObject(expected(message));
  });
});

describe('what reading refuses of a valid message', () => {
  test.each(refusedByReading)('$fault: $isoCode, $ruleId', async (message) => {
    const reading = readPacs008(await validTree('pacs008', message.text));
    expect(reading).toMatchObject({ ok: false, refusal: expected(message) });
  });
});

test('an attribute of the namespace xml, which needs no declaration, is refused (MSG-5)', async () => {
  const [violation] = await violationsOf(
    libxml2,
    Buffer.from(lotus.replace('<GrpHdr>', '<GrpHdr xml:lang="en">')),
  );
  expect(violation).toMatchObject({ xpath: fullPath('GrpHdr'), found: 'an attribute with a prefix' });
});

describe('bytes that are no message (MSG-2)', () => {
  const faultOf = (bytes: Uint8Array | string) => {
    const parsed = libxml2.parse(Buffer.from(bytes), ['pacs008']);
    if (!parsed.ok) return parsed.refusal.code;
    parsed.value.dispose();
    return 'taken';
  };
  const body = lotus.slice(lotus.indexOf('<Document'));
  const inName = (text: string) => lotus.replace('Somchai Jaidee', text);

  test.each([
    ['Latin-1', Buffer.from(lotus.replace('Somchai', 'Jürgen'), 'latin1'), 'not-utf8'],
    ['an overlong sequence', Buffer.concat([Buffer.from([0xc0, 0xaf]), Buffer.from(lotus)]), 'not-utf8'],
    ['a declared encoding other than UTF-8', lotus.replace('UTF-8', 'ISO-8859-1'), 'encoding-declared'],
    ['XML 1.1', lotus.replace('version="1.0"', 'version="1.1"'), 'xml-version'],
    ['a DOCTYPE', `<!DOCTYPE Document [<!ENTITY a "b">]>${body}`, 'doctype'],
    ['a comment', inName('Som<!-- -->chai'), 'comment'],
    ['CDATA', inName('<![CDATA[Somchai]]>'), 'cdata'],
    ['a processing instruction', inName('<?php x?>Somchai'), 'processing-instruction'],
    ['an unknown entity', inName('&nbsp;'), 'not-well-formed'],
    ['an attribute twice', lotus.replace('Ccy="SGD"', 'Ccy="SGD" Ccy="THB"'), 'not-well-formed'],
    ['two roots', `${lotus}${body}`, 'not-well-formed'],
    ['an older version', lotus.replaceAll('pacs.008.001.13', 'pacs.008.001.08'), 'namespace'],
    ['no namespace', lotus.replace(/ xmlns="[^"]*"/, ''), 'namespace'],
    ['elements nested 10,000 deep', '<a>'.repeat(10_000) + '</a>'.repeat(10_000), 'too-much'],
  ])('%s is refused', (_, bytes, code) => {
    expect(faultOf(bytes)).toBe(code);
  });

  test('at most 20 violations are kept', async () => {
    const many = lotus.replace('</RmtInf>', `${'<Wrong/>'.repeat(50)}</RmtInf>`).replaceAll('BICFI', 'BIC');
    const violations = await violationsOf(libxml2, Buffer.from(many));
    expect(violations.length).toBeGreaterThan(5);
    expect(violations.length).toBeLessThanOrEqual(20);
  });
});

test.skipIf(!officialPresent)(
  `the official schemas, where their directory is given, are asked first${officialNote}`,
  async () => {
    const gated = createLibxml2Engine({ officialSchemaDirectory: officialFolder });
    expect(await violationsOf(gated, Buffer.from(lotus))).toEqual([]);
    const doubled = Buffer.from(lotus.replace('<ChrgBr>SHAR</ChrgBr>', '<ChrgBr>SHARED</ChrgBr>'));
    const [official] = await violationsOf(gated, doubled);
    const [own] = await violationsOf(libxml2, doubled);
    expect(official?.xpath).toBe(own?.xpath);
    expect(official?.message).toContain("'DEBT', 'CRED', 'SHAR', 'SLEV'"); // more codes than ours: the official schema answered
    const ours = Buffer.from(lotus.replace('<ChrgBr>SHAR</ChrgBr>', '<ChrgBr>DEBT</ChrgBr>'));
    expect(await violationsOf(gated, ours)).toHaveLength(1);
  },
);

describe('forms that others send are read alike (MSG-12)', () => {
  const prefixed = lotus.replaceAll(/<(\/?)(?=[A-Z])/g, '<$1pay:').replace('xmlns=', 'xmlns:pay=');
  const located = lotus.replace(
    '<Document ',
    '<Document xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="urn:x http://127.0.0.1:9/x.xsd" ',
  );
  test.each([
    ['a prefix on every element', prefixed],
    ['CR LF', lotus.replaceAll('\n', '\r\n')],
    ['no whitespace', lotus.replaceAll(/>\s+</g, '><')],
    ['a byte order mark', `\uFEFF${lotus}`],
    ['whitespace around decimals', lotus.replace('1000.00', ' 1000.00\n').replace('>25<', '>\t25 <')],
    ['characters by reference', lotus.replace('Somchai', '&#83;&#x6F;mchai')],
    ['a schema location, which is not followed', located],
  ])('%s', async (_, text) => {
    const plain = readPacs008(await validTree('pacs008', lotus));
    const reading = readPacs008(await validTree('pacs008', text));
    if (!plain.ok || !reading.ok) throw new Error('both must be read');
    const transaction = undefined; // it keeps white space around decimals
    expect({ ...reading.value, transaction }).toEqual({ ...plain.value, transaction });
  });

  test('a schema location, wherever it stands, does not pass on: its prefix would not be declared there', async () => {
    const xsi = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"';
    const inner = lotus
      .replace('<Amt Ccy', `<Amt ${xsi} xsi:schemaLocation="urn:x x.xsd" Ccy`)
      .replace('<CdtrAcct>', `<CdtrAcct ${xsi} xsi:noNamespaceSchemaLocation="x.xsd">`);
    expect(inner).not.toBe(lotus);
    expect(await validTree('pacs008', inner)).toEqual(await validTree('pacs008', lotus));
  });

  test('values keep ampersands, quotes and characters of every plane', async () => {
    const document = await validTree(
      'pacs008',
      lotus.replace('Somchai Jaidee', 'A&amp;B &lt;"\'&gt; 你好 😀'),
    );
    expect(JSON.stringify(document)).toContain(JSON.stringify('A&B <"\'> 你好 😀').slice(1, -1));
  });
});

describe('Xerces, the second engine', () => {
  afterEach(() => vi.unstubAllEnvs());
  const javaHome = process.env['JAVA_HOME'];
  const folders = javaHome === undefined ? (process.env['PATH'] ?? '').split(':') : [`${javaHome}/bin`];
  const hasJava = folders.some((folder) => existsSync(`${folder}/java`));
  if (!hasJava) {
    process.stderr.write(
      'NOT RUN: the comparison with Xerces, the second engine: there is no Java. Install a JRE 17 (Debian: ' +
        'default-jre-headless), then npm ci, and run the tests again.\n',
    );
  }
  const cases = [
    ...allFixtures().map(({ name, message, bytes }) => ({ name, message, bytes })),
    ...refusedBySchema.map(({ fault, text }) => ({
      name: fault,
      message: 'pacs008' as const,
      bytes: Buffer.from(text),
    })),
  ];

  test.skipIf(!hasJava)(
    `gives the verdict of libxml2 on every fixture${hasJava ? '' : ' (skipped: there is no Java)'}`,
    async () => {
      vi.stubEnv('JAVA_TOOL_OPTIONS', '-XX:TieredStopAtLevel=1 -XX:+UseSerialGC'); // short runs: no need to warm up the JVM
      const xerces = await createXercesEngine();
      const queue = [...cases];
      const differences: unknown[] = [];
      const judge = async () => {
        for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
          const strip = (list: Awaited<ReturnType<typeof violationsOf>>) =>
            list.map((violation) => ({ ...violation, message: undefined }));
          const ours = strip(await violationsOf(libxml2, next.bytes, next.message));
          const theirs = strip(await violationsOf(xerces, next.bytes, next.message));
          const agree = JSON.stringify(ours) === JSON.stringify(theirs);
          if (!agree) differences.push({ name: next.name, ours, theirs });
        }
      };
      await Promise.all([judge(), judge(), judge()]);
      expect(differences).toEqual([]);
    },
  );
});
