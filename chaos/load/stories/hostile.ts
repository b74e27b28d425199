// Requests of attackers. The gateway must refuse them by HTTP before they become messages (MSG-2, SEC-1, SEC-2), and
// store nothing. Each is made from an acceptable payment, so that it does harm if it gets through.
import { gzipSync } from 'node:zlib';
import { draftPayment, write, type Draft } from '../draft.ts';
import { before, swap, type Edit } from '../edits.ts';
import { submission } from '../paying.ts';
import { without, type Request } from '../sender.ts';
import type { Story } from '../tools.ts';
import { drawOwnTerms, ownCorridor } from './payments.ts';

interface Hostile {
  readonly name: string;
  readonly status: number;
  readonly bytes?: (xml: string, draft: Draft) => string | Uint8Array;
  readonly request?: Partial<Request>;
}

const namespace = 'urn:iso:std:iso:20022:tech:xsd:pacs.008.001.13';
const afterDeclaration = (text: string): Edit => before('<Document', text);
const inKeyOf = (name: string, text: string): Edit => swap(new RegExp(`<${name}>[^<]*`), `<${name}>${text}`);
const kibibytes = 1_024;

const bodies: readonly Hostile[] = [
  { name: 'empty', status: 400, bytes: () => '' },
  { name: 'not-xml', status: 400, bytes: () => '{"payment": 1}' },
  { name: 'cut-short', status: 400, bytes: (xml) => xml.slice(0, xml.length / 2) },
  { name: 'two-documents', status: 400, bytes: (xml) => xml + xml.slice(xml.indexOf('<Document')) },
  { name: 'doctype', status: 400, bytes: afterDeclaration('<!DOCTYPE Document>') },
  {
    name: 'entities',
    status: 400,
    bytes: afterDeclaration('<!DOCTYPE d [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;">]>'),
  },
  {
    name: 'outer-file',
    status: 400,
    bytes: afterDeclaration('<!DOCTYPE d [<!ENTITY a SYSTEM "file:///etc/passwd">]>'),
  },
  { name: 'comment', status: 400, bytes: before('<UETR>', '<!-- canary -->') },
  { name: 'instruction', status: 400, bytes: before('<UETR>', '<?canary 1?>') },
  { name: 'cdata', status: 400, bytes: swap(/<Nm>[^<]*/, '<Nm><![CDATA[Canary]]>') },
  { name: 'wrong-namespace', status: 400, bytes: swap(namespace, namespace.replace('.13', '.08')) },
  { name: 'no-namespace', status: 400, bytes: swap(` xmlns="${namespace}"`, '') },
  {
    name: 'wrapped',
    status: 400,
    bytes: (xml) => `<Envelope>${xml.slice(xml.indexOf('<Document'))}</Envelope>`,
  },
  { name: 'utf-16', status: 400, bytes: (xml) => Buffer.from(`\uFEFF${xml}`, 'utf16le') },
  { name: 'latin-1', status: 400, bytes: (xml) => Buffer.from(swap(/<Nm>[^<]*/, '<Nm>Zoë')(xml), 'latin1') },
  { name: 'other-encoding', status: 400, bytes: swap('UTF-8', 'ISO-8859-1') },
  { name: 'xml-1.1', status: 400, bytes: swap('version="1.0"', 'version="1.1"') },
  { name: 'nul', status: 400, bytes: swap(/<Nm>[^<]*/, '<Nm>Can\u0000ary') },
  { name: 'name-begins-wrongly', status: 400, bytes: before('<UETR>', '<·Canary/>') },
  { name: 'name-with-no-letter', status: 400, bytes: before('<UETR>', '<A×B/>') },
  { name: 'undeclared-prefix', status: 400, bytes: before('<UETR>', '<x:Canary/>') },
  { name: 'key-of-another-namespace', status: 400, bytes: swap('<UETR>', '<UETR xmlns="urn:other">') },
  { name: 'no-key', status: 400, bytes: swap(/<UETR>[^<]*<\/UETR>/, '') },
  { name: 'upper-case-key', status: 400, bytes: inKeyOf('UETR', '6F1F3A52-9D0C-4F7E-8A43-2F4B7A1C9E01') },
  { name: 'slashes-in-a-key', status: 400, bytes: inKeyOf('MsgId', '/CANARY//1/') },
  { name: 'long-key', status: 400, bytes: inKeyOf('MsgId', 'C'.repeat(36)) },
  { name: 'huge-element-name', status: 400, bytes: before('<InstgAgt>', `<${'N'.repeat(60_000)}/>`) },
  { name: 'crowd', status: 400, bytes: before('<InstgAgt>', '<A/>'.repeat(6_000)) },
  { name: 'deep', status: 400, bytes: before('<InstgAgt>', '<A>'.repeat(3_000) + '</A>'.repeat(3_000)) },
  {
    name: 'too-large',
    status: 413,
    bytes: (xml) => xml + ' '.repeat(256 * kibibytes + 1 - Buffer.byteLength(xml)),
  },
  {
    name: 'compressed',
    status: 415,
    bytes: (xml) => gzipSync(xml),
    request: { headers: { 'content-encoding': 'gzip' } },
  },
];

const calls: readonly Hostile[] = [
  { name: 'json-type', status: 415, request: { contentType: 'application/json' } },
  { name: 'charset', status: 415, request: { contentType: 'application/xml; charset=utf-16' } },
  { name: 'form', status: 415, request: { contentType: 'multipart/form-data; boundary=x' } },
  { name: 'no-token', status: 401, request: { withToken: false } },
  { name: 'token-of-a-psp', status: 403, request: { client: 'LOTUSGS0' } },
  { name: 'token-of-an-fxp', status: 403, request: { client: 'MERISGS0' } },
  { name: 'no-callback', status: 400, request: { path: '/iso20022/pacs008' } },
  ...[
    ['stranger', 'https://callbacks.canary.example/pacs002'],
    ['userinfo', 'http://canary@127.0.0.1:9101/callbacks/SGDFAST/pacs002'],
    ['metadata', 'http://169.254.169.254/latest/meta-data'],
    ['numeric-host', 'http://2130706433/callbacks/SGDFAST/pacs002'],
    ['file', 'file:///etc/passwd'],
  ].map(([name = '', address = '']) => ({
    name: `callback-${name}`,
    status: 422,
    request: { path: `/iso20022/pacs008?pacs002Endpoint=${encodeURIComponent(address)}` },
  })),
];

const storyOf = ({ name, status, bytes, request }: Hostile): Story => ({
  name: `hostile/${name}`,
  weight: 0.2,
  play: async (tools) => {
    const { random, canaries } = tools;
    const wanted = { corridor: ownCorridor, debtorPsp: 'LOTUSGS0', plain: true } as const;
    const draft = draftPayment(random, canaries, wanted);
    const terms = drawOwnTerms(random);
    const api = random.integer(0, 7);
    await tools.ready(ownCorridor.source.system);
    const xml = write(draft, terms, tools.now());
    const body = bytes?.(xml, draft) ?? xml;
    const expected = { verdict: 'refused', status } as const;
    const purpose = `hostile/${name}`;
    await tools.send({ ...submission(tools, draft, body, { api, purpose, expected }), ...request });
  },
});

/** An upload that stops in the middle; the sender hangs up while the service waits for the rest. */
const cutUpload: Story = {
  name: 'hostile/cut-upload',
  weight: 1,
  play: async (tools) => {
    const { random, canaries } = tools;
    const draft = draftPayment(random, canaries, { corridor: ownCorridor, debtorPsp: 'LOTUSGS0' });
    const terms = drawOwnTerms(random);
    const [api, hangUpAfterMs] = [random.integer(0, 7), random.pick([50, 500, 3_000, 9_000])];
    await tools.ready(ownCorridor.source.system);
    const body = write(draft, terms, tools.now());
    const whole = submission(tools, draft, body, { api, purpose: cutUpload.name, hangUpAfterMs });
    await tools.send({ ...without(whole, 'expected'), cutInHalf: true });
  },
};

export const hostileStories: readonly Story[] = [...bodies.map(storyOf), ...calls.map(storyOf), cutUpload];
