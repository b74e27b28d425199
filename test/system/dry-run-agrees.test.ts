// A dry run gives the same code and the same words as a submission, for malformed bodies and for refused messages.
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { buildPacs008 } from '../../core/iso20022/build-pacs008.ts';
import { testGateway } from '../harness/gateway.ts';
import { instruction } from '../../fixtures/instruction.ts';
import { bestQuote } from '../harness/payer.ts';
import { readFixture } from '../xml/fixtures.ts';
import type { DryRun } from '../api/payments/dry-run.ts';
import { edit } from '../harness/patches.ts';

const gateway = await testGateway();

type Path = '/iso20022/validate' | '/iso20022/pacs008' | '/iso20022/pacs002' | '/iso20022/acmt023';

async function post(path: Path, body: Buffer, type: string) {
  const endpoint = {
    '/iso20022/pacs008': 'pacs002Endpoint',
    '/iso20022/acmt023': 'acmt024Endpoint',
  } as const;
  const callback = encodeURIComponent(gateway.sandbox.callbackUrl('SGDFAST'));
  const query = path in endpoint ? `?${endpoint[path as keyof typeof endpoint]}=${callback}` : '';
  return fetch(`${gateway.url}${path}${query}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${await gateway.token('SGDFAST')}`, 'content-type': type },
    body: new Uint8Array(body),
  });
}

interface Told {
  readonly status: number;
  /** The code of a problem, else of the rejection. */
  readonly code?: string | undefined;
  readonly words?: string | null | undefined;
}

async function toldBySubmission(path: Path, body: Buffer, type: string): Promise<Told> {
  const response = await post(path, body, type);
  const text = await response.text();
  if (response.status !== 200) {
    const { code, detail } = JSON.parse(text) as { code: string; detail: string };
    return { status: response.status, code, words: detail };
  }
  const words = response.headers.get('isthmus-rejection');
  const [, code] = /<(?:Rsn|StsRsnInf)>\s*(?:<Rsn>\s*)?<Cd>([^<]*)</.exec(text) ?? [];
  return { status: 200, code: words === null ? undefined : code, words };
}

async function toldByDryRun(body: Buffer, type: string): Promise<Told> {
  const response = await post('/iso20022/validate', body, type);
  const run = (await response.json()) as DryRun & { code: string; detail: string };
  if (response.status !== 200) return { status: response.status, code: run.code, words: run.detail };
  if (typeof run.refusedAtIntake === 'string')
    return { status: 400, code: 'message-refused', words: run.refusedAtIntake };
  const [first] = run.violations;
  return { status: 200, code: first?.isoCode, words: first?.explanation ?? null };
}

async function payment(): Promise<string> {
  return buildPacs008(instruction(await bestQuote(gateway)));
}

const utf8 = (text: string) => Buffer.from(text);
const without = (name: string) => (xml: string) => edit(xml, new RegExp(`<${name}>[^<]*</${name}>`), '');
const value = (name: string, make: (text: string) => string) => (xml: string) => {
  const [whole = '', start = '', text = ''] = new RegExp(`(<${name}[^>]*>)([^<]*)`).exec(xml) ?? [];
  return edit(xml, whole, start + make(text));
};
const document = (xml: string) => xml.slice(xml.indexOf('<Document'));
const namespace = 'urn:iso:std:iso:20022:tech:xsd:pacs.008.001.13';

const odd: Readonly<Record<string, (xml: string) => string | Buffer>> = {
  'nothing odd': (xml) => xml,
  'a UETR in upper case': value('UETR', (one) => one.toUpperCase()),
  'no UETR': without('UETR'),
  'no MsgId': without('MsgId'),
  'a MsgId beyond ASCII': value('MsgId', () => 'Übung'),
  'neither MsgId nor UETR': (xml) => without('MsgId')(without('UETR')(xml)),
  'no message element': (xml) => edit(xml, /<FIToFICstmrCdtTrf>[^]*<\/FIToFICstmrCdtTrf>/, ''),
  'two transactions': (xml) => edit(xml, /(<CdtTrfTxInf>[^]*<\/CdtTrfTxInf>)/, '$1$1'),
  'a DOCTYPE': (xml) => `<!DOCTYPE Document>${document(xml)}`,
  'a comment': (xml) => edit(xml, '<GrpHdr>', '<GrpHdr><!-- a -->'),
  'Latin-1': (xml) => Buffer.from(edit(xml, 'Canary Tan', 'Ü'), 'latin1'),
  'nothing at all': () => '',
  'half of it': (xml) => xml.slice(0, xml.length / 2),
  'exactly 256 KiB': (xml) => xml.trimEnd().padEnd(256 * 1024, ' '),
  '256 KiB and a byte': (xml) => xml.trimEnd().padEnd(256 * 1024 + 1, ' '),
  'an older version': (xml) => edit(xml, namespace, namespace.replace('13', '08')),
  'a business application header': (xml) =>
    `<BizMsg xmlns="urn:x"><AppHdr xmlns="urn:iso:std:iso:20022:tech:xsd:head.001.001.02"/>${document(xml)}</BizMsg>`,
  'an envelope of the same namespace': (xml) =>
    edit(
      document(xml),
      /<Document[^>]*>([^]*)<\/Document>/,
      `<Envelope xmlns="${namespace}"><Document>$1</Document></Envelope>`,
    ),
  'an unknown element and a missing one': (xml) =>
    edit(edit(xml, /<ChrgBr>[^<]*<\/ChrgBr>/, ''), '<PmtId>', '<A>b</A><PmtId>'),
};

describe('a pacs.008', () => {
  test.each(Object.entries(odd))('%s', async (_, make) => {
    const made = make(await payment());
    const body = typeof made === 'string' ? utf8(made) : made;
    const dry = await toldByDryRun(body, 'application/xml');
    expect(dry).toEqual(await toldBySubmission('/iso20022/pacs008', body, 'application/xml'));
    if (made !== '' && dry.status === 400) expect(dry.words).toMatch(/^[ -~]{20,}$/);
  });

  test.each([[/ xmlns="[^"]*"/, '']])(
    'of a namespace that is none: the dry run, which takes six messages, names all of them',
    async (from, to) => {
      const body = utf8(edit(await payment(), from, to));
      const submitted = await toldBySubmission('/iso20022/pacs008', body, 'application/xml');
      const dry = await toldByDryRun(body, 'application/xml');
      expect([dry.status, dry.code]).toEqual([submitted.status, submitted.code]);
      expect(dry.words).toContain(submitted.words?.slice(0, -1));
    },
  );

  test.each(['text/plain', ''])('sent as %j', async (type) => {
    const body = utf8(await payment());
    expect(await toldByDryRun(body, type)).toEqual(await toldBySubmission('/iso20022/pacs008', body, type));
  });
});

const asked = (): string =>
  value('MsgId', () => randomUUID().slice(0, 20))(readFixture('acmt023', 'proxy.xml').toString());
const oddRequests: Readonly<Record<string, (xml: string) => string>> = {
  'no MsgId': without('MsgId'),
  'an older version': (xml) => edit(xml, 'acmt.023.001.04', 'acmt.023.001.03'),
  'a code that is not known': (xml) => edit(xml, '<Cd>MBNO', '<Cd>ZZZZ'),
};

describe('an acmt.023', () => {
  test.each(Object.entries(oddRequests))('%s', async (_, make) => {
    const body = utf8(make(asked()));
    expect(await toldByDryRun(body, 'text/xml')).toEqual(
      await toldBySubmission('/iso20022/acmt023', body, 'text/xml'),
    );
  });
});

describe('a pacs.002', () => {
  const report = readFixture('pacs002', 'credited.xml').toString();
  test.each<[string, (xml: string) => string]>([
    ['no OrgnlUETR', without('OrgnlUETR')],
    ['no MsgId', without('MsgId')],
  ])('%s', async (_, make) => {
    const body = utf8(make(report));
    const dry = await toldByDryRun(body, 'text/xml');
    const submitted = await toldBySubmission('/iso20022/pacs002', body, 'text/xml');
    // a real report is also told what the refusal means for the payment
    expect(dry).toEqual({
      ...submitted,
      words: submitted.words?.replace(/ This report does not count.*$/, ''),
    });
    expect(submitted.words).toContain('This report does not count');
  });
});
