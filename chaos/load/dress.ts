// Adds optional elements to a message and varies its XML syntax. Everything is legal (MSG-12), so nothing may change an
// answer.
import { after, all, before, escaped, swap, type Edit } from './edits.ts';
import { drawName, drawStreet } from './people.ts';
import type { Random } from './random.ts';

interface Dressed {
  readonly canaries: readonly string[];
  readonly currency: string;
  readonly hasRemittance: boolean;
  /** Whether the payment is NORM, which is the default and may be left out (MSG-5). */
  readonly isNormal: boolean;
}

/** Draws optional elements: addresses, ultimate parties, instructions, reports to authorities. */
export function drawElements(random: Random, { canaries, currency, hasRemittance, isNormal }: Dressed): Edit {
  const name = () => escaped(drawName(random, canaries));
  const street = () => escaped(drawStreet(random, canaries));
  const details = [
    '<Tp>GOODS</Tp><Dt>2026-02-28</Dt><Ctry>SG</Ctry>',
    `<Cd>G1.02</Cd><Amt Ccy="${currency}">1</Amt><Inf>${escaped('a & b')}</Inf>`,
    '<Inf>1</Inf><Inf>2</Inf><Inf>3</Inf>',
  ];
  const reports = `<RgltryRptg><DbtCdtRptgInd>${random.pick(['CRED', 'DEBT', 'BOTH'])}</DbtCdtRptgInd><Dtls>${random.pick(details)}</Dtls></RgltryRptg>`;
  const offered: readonly Edit[] = [
    before('<TwnNm>', `<StrtNm>${street()}</StrtNm><BldgNb>7a</BldgNb><PstCd>238823</PstCd>`),
    after('</TwnNm>', '<DstrctNm>Centre</DstrctNm>'),
    swap('</Ctry></PstlAdr></Cdtr>', `</Ctry><AdrLine>${street()}</AdrLine></PstlAdr></Cdtr>`),
    swap(
      '</PstlAdr></Dbtr>',
      '</PstlAdr><Id><PrvtId><Othr><Id>S1234567A</Id><SchmeNm><Prtry>NRIC</Prtry></SchmeNm></Othr></PrvtId></Id></Dbtr>',
    ),
    before('<AgrdRate>', `<InstdAmt Ccy="${currency}">${random.integer(1, 90_000)}</InstdAmt>`),
    before('<Dbtr>', `<UltmtDbtr><Nm>${name()}</Nm></UltmtDbtr>`),
    after('</CdtrAcct>', `<InstrForCdtrAgt><InstrInf>${escaped('call & ask')}</InstrInf></InstrForCdtrAgt>`),
    after('</CdtrAcct>', `<UltmtCdtr><Nm>${name()}</Nm><CtryOfRes>FR</CtryOfRes></UltmtCdtr>`),
    ...(isNormal ? [swap('<InstrPrty>NORM</InstrPrty>', '')] : []),
    before(hasRemittance ? '<RmtInf>' : '</CdtTrfTxInf>', reports.repeat(random.integer(1, 3))),
  ];
  return all(offered.filter(() => random.chance(30)));
}

const prefixed: Edit = (xml) => xml.replaceAll(/<(\/?)([A-Z])/g, '<$1p8:$2').replace('xmlns=', 'xmlns:p8=');
const spread: Edit = (xml) => xml.replaceAll('><', '>\r\n\t<');
const quoted: Edit = (xml) => xml.replaceAll(/="([^"]*)"/g, "='$1'");
const marked: Edit = (xml) => `\uFEFF${xml}`;
const bare: Edit = (xml) => xml.slice(xml.indexOf('<Document'));
const located: Edit = swap(
  /<Document xmlns="([^"]+)">/,
  '<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pacs.008.001.13" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="urn:iso:std:iso:20022:tech:xsd:pacs.008.001.13 pacs.008.001.13.xsd">',
);
const plain: Edit = (xml) => xml;

const contentTypes = [
  'application/xml',
  'text/xml',
  'application/xml; charset=utf-8',
  'text/xml;charset="UTF-8"',
];

/** One of the ways to write the same message, and a content type. */
export function drawWriting(random: Random): { readonly write: Edit; readonly contentType: string } {
  return {
    write: random.pick([plain, plain, plain, prefixed, spread, quoted, marked, bare, located]),
    contentType: random.pick(contentTypes),
  };
}
