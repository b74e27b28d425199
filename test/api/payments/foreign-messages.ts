// Messages as others send them, in the style of other schemes and with what goes wrong in practice, each with what its
// sender knows to do about what it is told. A cure is applied only when the answer tells of the complaint that it is
// for.
import { lotus } from '../../xml/fixtures.ts';

/** What a sender does when it is told something. */
export interface Cure {
  /** Found in what is told: a problem's detail, or an XPath with its explanation. */
  readonly when: RegExp;
  readonly apply: (text: string) => string;
}

export interface Journey {
  readonly name: string;
  readonly text: string;
  readonly cures: readonly Cure[];
}

const replace =
  (from: string | RegExp, to: string) =>
  (text: string): string =>
    text.replace(from, to);
/** Without an element, wherever it stands. */
const drop = (name: string) => replace(new RegExp(`\\s*<${name}(?:\\s[^>]*)?>[^]*?</${name}>`, 'g'), '');
const cure = (when: RegExp, apply: Cure['apply']): Cure => ({ when, apply });

const now = () => new Date().toISOString();
const agent = (bic: string) => `<FinInstnId><BICFI>${bic}</BICFI></FinInstnId>`;
const account = (id: string) => `<Id><Othr><Id>${id}</Id></Othr></Id>`;
const rate =
  '<AgrdRate><UnitCcy>SGD</UnitCcy><QtdCcy>THB</QtdCcy><PreAgrdXchgRate>25</PreAgrdXchgRate></AgrdRate>';
const creditorAgentFee = `<ChrgsInf><Amt Ccy="THB">100.00</Amt><Agt>${agent('LOTUTHS0')}</Agt></ChrgsInf>`;
const ownAccount = `<IntrmyAgt2>${agent('HARBTHS0')}</IntrmyAgt2><IntrmyAgt2Acct>${account('LOTU-TH-THB')}</IntrmyAgt2Acct>`;

/** Of any sender who is told of the form, the wrapping or the version. */
const ofForm: readonly Cure[] = [
  cure(/comment/, replace(/<!--[^]*?-->/g, '')),
  cure(/white space before the XML declaration/, (text) => text.trimStart()),
  cure(/MSG-12|wrapped/, replace(/^(<\?xml[^>]*>)?[^]*?(<Document[^]*<\/Document>)[^]*$/, '$1$2')),
  cure(/pacs\.008\.001\.13/, replace(/pacs\.008\.001\.\d\d/g, 'pacs.008.001.13')),
];

const crossBorder = `
<?xml version="1.0" encoding="UTF-8"?>
<!-- cross-border payments and reporting -->
<Envelope xmlns="urn:swift:xsd:envelope">
  <AppHdr xmlns="urn:iso:std:iso:20022:tech:xsd:head.001.001.02">
    <Fr><FIId>${agent('LOTUSGS0')}</FIId></Fr>
    <To><FIId>${agent('LOTUTHS0')}</FIId></To>
    <BizMsgIdr>BIZ-1</BizMsgIdr>
    <MsgDefIdr>pacs.008.001.08</MsgDefIdr>
    <BizSvc>swift.cbprplus.02</BizSvc>
    <CreDt>${now()}</CreDt>
  </AppHdr>
  <Document xmlns="urn:iso:std:iso:20022:tech:xsd:pacs.008.001.08">
    <FIToFICstmrCdtTrf>
      <GrpHdr>
        <MsgId>CBPR-2026-0001</MsgId>
        <CreDtTm>2026-11-21T12:00:00+08:00</CreDtTm>
        <NbOfTxs>1</NbOfTxs>
        <SttlmInf>
          <SttlmMtd>INDA</SttlmMtd>
          <SttlmAcct>${account('123')}</SttlmAcct>
        </SttlmInf>
      </GrpHdr>
      <CdtTrfTxInf>
        <PmtId>
          <InstrId>CBPR-INSTR-1</InstrId>
          <EndToEndId>INVOICE-118</EndToEndId>
          <UETR>8a562c67-ca16-48ba-b074-65581be6f001</UETR>
        </PmtId>
        <PmtTpInf><SvcLvl><Cd>G001</Cd></SvcLvl></PmtTpInf>
        <IntrBkSttlmAmt Ccy="SGD">1000.00</IntrBkSttlmAmt>
        <IntrBkSttlmDt>2026-11-21</IntrBkSttlmDt>
        <SttlmPrty>NORM</SttlmPrty>
        <AccptncDtTm>${now()}</AccptncDtTm>
        <InstdAmt Ccy="SGD">1001.00</InstdAmt>
        <XchgRate>25</XchgRate>
        <ChrgBr>DEBT</ChrgBr>
        <ChrgsInf><Amt Ccy="SGD">1.00</Amt><Agt>${agent('LOTUSGS0')}</Agt></ChrgsInf>
        <InstgAgt>${agent('LOTUSGS0')}</InstgAgt>
        <InstdAgt>${agent('LOTUTHS0')}</InstdAgt>
        <IntrmyAgt1>${agent('HARBSGS0')}</IntrmyAgt1>
        <Dbtr>
          <Nm>Aisha Tan</Nm>
          <PstlAdr><AdrLine>1 Raffles Place</AdrLine><AdrLine>#20-01</AdrLine><AdrLine>Singapore</AdrLine></PstlAdr>
        </Dbtr>
        <DbtrAcct>${account('1234567890')}</DbtrAcct>
        <DbtrAgt>${agent('LOTUSGS0')}</DbtrAgt>
        <CdtrAgt>${agent('LOTUTHS0')}</CdtrAgt>
        <Cdtr><Nm>Somchai Jaidee</Nm></Cdtr>
        <CdtrAcct>${account('6600000001')}</CdtrAcct>
        <RmtInf><Ustrd>Invoice 118</Ustrd></RmtInf>
      </CdtTrfTxInf>
    </FIToFICstmrCdtTrf>
  </Document>
</Envelope>
`;

const zone = `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pacs.008.001.08" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
  <FIToFICstmrCdtTrf>
    <GrpHdr>
      <MsgId>SCT-2026-0001</MsgId>
      <CreDtTm>2026-11-21T04:00:00</CreDtTm>
      <NbOfTxs>2</NbOfTxs>
      <TtlIntrBkSttlmAmt Ccy="SGD">2000.00</TtlIntrBkSttlmAmt>
      <IntrBkSttlmDt>2026-11-21</IntrBkSttlmDt>
      <SttlmInf><SttlmMtd>CLRG</SttlmMtd><ClrSys><Prtry>TIPS</Prtry></ClrSys></SttlmInf>
      <PmtTpInf><SvcLvl><Cd>SEPA</Cd></SvcLvl><LclInstrm><Cd>INST</Cd></LclInstrm></PmtTpInf>
      <InstgAgt>${agent('LOTUSGS0')}</InstgAgt>
    </GrpHdr>
    <CdtTrfTxInf>
      <PmtId><EndToEndId>E2E/1/</EndToEndId><TxId>TX-1</TxId></PmtId>
      <IntrBkSttlmAmt Ccy="SGD">1000,00</IntrBkSttlmAmt>
      <AccptncDtTm>${now()}</AccptncDtTm>
      <ChrgBr>SLEV</ChrgBr>
      <Dbtr><Nm>Aisha Tan</Nm></Dbtr>
      <DbtrAcct>${account('1234567890')}</DbtrAcct>
      <DbtrAgt>${agent('LOTUSGS0')}</DbtrAgt>
      <CdtrAgt>${agent('LOTUTHS0')}</CdtrAgt>
      <Cdtr><Nm xsi:type="Max140Text">Somchai Jaidee</Nm></Cdtr>
      <CdtrAcct>${account('6600000001')}</CdtrAcct>
      <Purp><Prtry>goods</Prtry></Purp>
    </CdtTrfTxInf>
    <CdtTrfTxInf>
      <PmtId><EndToEndId>E2E-2</EndToEndId><TxId>TX-2</TxId></PmtId>
    </CdtTrfTxInf>
  </FIToFICstmrCdtTrf>
</Document>`;

/** The last place of what a source fills in, so that all that is missing can be put where it belongs. */
const withOwnRate = cure(/AgrdRate.*missing/, replace(/(<ChrgBr>)/, `${rate}$1`));
const ofPayment: readonly Cure[] = [
  cure(/SttlmMtd: must be CLRG/, replace(/<SttlmMtd>\w*/, '<SttlmMtd>CLRG')),
  cure(/SttlmAcct: not used/, drop('SttlmAcct')),
  cure(/ClrSys: mandatory/, replace(/(<\/SttlmMtd>)/, '$1<ClrSys><Prtry>SGDFAST</Prtry></ClrSys>')),
  cure(/ClrSys\/Prtry: .*Expected: SGDFAST/, replace(/<Prtry>TIPS/, '<Prtry>SGDFAST')),
  cure(/SttlmPrty: not used/, drop('SttlmPrty')),
  cure(
    /AccptncDtTm, which belongs in AddtlDtTm|AddtlDtTm: mandatory.*with AccptncDtTm/,
    replace(/(<AccptncDtTm>[^<]*<\/AccptncDtTm>)/, '<AddtlDtTm>$1</AddtlDtTm>'),
  ),
  cure(/XchgRate: not used/, drop('XchgRate')),
  withOwnRate,
  cure(/ChrgBr: must be SHAR/, replace(/<ChrgBr>\w*/, '<ChrgBr>SHAR')),
  cure(
    /ChrgsInf\[1\]: mandatory/,
    replace(
      /(<\/ChrgBr>)/,
      `$1<ChrgsInf><Amt Ccy="SGD">0</Amt><Agt>${agent('LOTUSGS0')}</Agt></ChrgsInf>${creditorAgentFee}`,
    ),
  ),
  cure(/ChrgsInf\[2\]: mandatory/, replace(/(<\/ChrgsInf>)/, `$1${creditorAgentFee}`)),
  cure(
    /PstlAdr\/(TwnNm|Ctry): mandatory/,
    replace(/(<PstlAdr>)/, '$1<TwnNm>Singapore</TwnNm><Ctry>SG</Ctry>'),
  ),
  cure(/AdrLine\[3\]: at most 2/, replace(/<AdrLine>Singapore<\/AdrLine>/, '')),
  cure(/CtgyPurp\/Cd: required by the destination country/, (text) =>
    text.includes('<PmtTpInf>')
      ? text.replace('</PmtTpInf>', '<CtgyPurp><Cd>CASH</Cd></CtgyPurp></PmtTpInf>')
      : text.replace('</PmtId>', '</PmtId><PmtTpInf><CtgyPurp><Cd>CASH</Cd></CtgyPurp></PmtTpInf>'),
  ),
  cure(/IntrmyAgt2Acct: neither a quote nor an own account/, replace(/(\s*<Dbtr>)/, `${ownAccount}$1`)),
  cure(/CreDtTm: must have a time zone/, replace(/(<CreDtTm>[^<Z+]*)</, '$1Z<')),
  cure(/NbOfTxs: must be 1/, replace(/<NbOfTxs>\d+/, '<NbOfTxs>1')),
  cure(/GrpHdr\/TtlIntrBkSttlmAmt: not used/, drop('TtlIntrBkSttlmAmt')),
  cure(
    /GrpHdr\/IntrBkSttlmDt: not used/,
    replace(/(<GrpHdr>[^]*?)<IntrBkSttlmDt>[^<]*<\/IntrBkSttlmDt>/, '$1'),
  ),
  cure(/GrpHdr\/PmtTpInf: not used/, replace(/(<GrpHdr>[^]*?)<PmtTpInf>[^]*?<\/PmtTpInf>/, '$1')),
  cure(/GrpHdr\/InstgAgt: not used/, replace(/(<GrpHdr>[^]*?)<InstgAgt>[^]*?<\/InstgAgt>/, '$1')),
  cure(/CdtTrfTxInf\[2\]: at most 1/, replace(/<CdtTrfTxInf>(?![^]*<CdtTrfTxInf>)[^]*?<\/CdtTrfTxInf>/, '')),
  cure(/EndToEndId: must be: Printable ASCII; no slash/, replace('E2E/1/', 'E2E/1')),
  cure(
    /UETR is missing|PmtId\/UETR: mandatory.*UUID version 4/,
    replace(/(<\/TxId>)/, '$1<UETR>8a562c67-ca16-48ba-b074-65581be6f002</UETR>'),
  ),
  cure(/IntrBkSttlmAmt: must be: Plain decimal/, replace('1000,00', '1000.00')),
  cure(/Nm: an attribute of another namespace/, replace(/ xsi:type="\w*"/g, '')),
  cure(
    /Purp\/Prtry: Cd is required/,
    replace('<Purp><Prtry>goods</Prtry></Purp>', '<Purp><Cd>GDDS</Cd></Purp>'),
  ),
];

/** Our own version, with much of what ISO 20022 allows and the scheme does not use. */
const rich = lotus
  .replace(/(<AccptncDtTm>)[^<]*/, `$1${now()}`)
  .replace('<SttlmInf>', '<CtrlSum>1000.00</CtrlSum><SttlmInf>')
  .replace('<AddtlDtTm>', '<SttlmTmIndctn><DbtDtTm>2026-11-21T04:00:00Z</DbtDtTm></SttlmTmIndctn><AddtlDtTm>')
  .replace(/(<Dbtr>)/, '<InitgPty><Nm>Somebody Else</Nm></InitgPty>$1')
  .replace(/(<DbtrAgt>[^]*?<\/FinInstnId>)/, '$1<BrnchId><Id>B1</Id></BrnchId>')
  .replace('</RmtInf>', '<Strd><TaxRmt/></Strd></RmtInf>')
  .replace(/(<\/CdtTrfTxInf>)/, '<SplmtryData><Envlp><x/></Envlp></SplmtryData>$1');

/** A sender who sorts elements by mood. */
const shuffled = lotus
  .replace(/(<AccptncDtTm>)[^<]*/, `$1${now()}`)
  .replace(/(\s*<ChrgBr>[^<]*<\/ChrgBr>)/, '')
  .replace(/(<PmtTpInf>)/, '<ChrgBr>SHAR</ChrgBr>$1')
  .replace(/(<DbtrAcct>[^]*?<\/DbtrAcct>)(\s*)(<DbtrAgt>[^]*?<\/DbtrAgt>)/, '$3$2$1')
  .replace(/(<UnitCcy>[^<]*<\/UnitCcy>)(\s*)(<QtdCcy>[^<]*<\/QtdCcy>)/, '$3$2$1');

export const journeys: readonly Journey[] = [
  {
    name: 'a cross-border pacs.008.001.08 with business header, envelope, comment and blank line',
    text: crossBorder,
    cures: [...ofForm, ...ofPayment],
  },
  {
    name: 'a pacs.008.001.08 of a payment zone: two transactions, no UETR, a decimal comma',
    text: zone,
    cures: [...ofForm, ...ofPayment],
  },
  {
    name: 'a pacs.008.001.13 with elements that ISO 20022 has and the scheme does not use',
    text: rich,
    cures: [
      cure(/CtrlSum: not used/, drop('CtrlSum')),
      cure(/SttlmTmIndctn: not used/, drop('SttlmTmIndctn')),
      cure(/InitgPty: not used/, drop('InitgPty')),
      cure(/BrnchId: not used/, drop('BrnchId')),
      cure(/TaxRmt: not used/, replace('<Strd><TaxRmt/></Strd>', '')),
      cure(/SplmtryData: not used/, drop('SplmtryData')),
    ],
  },
  {
    name: 'elements in another order',
    text: shuffled,
    cures: [
      cure(/ChrgBr: in the wrong place.*after AgrdRate and before ChrgsInf/, (text) =>
        text.replace('<ChrgBr>SHAR</ChrgBr>', '').replace('</AgrdRate>', '</AgrdRate><ChrgBr>SHAR</ChrgBr>'),
      ),
      cure(
        /Dbtr(Acct|Agt): in the wrong place/,
        replace(/(<DbtrAgt>[^]*?<\/DbtrAgt>)(\s*)(<DbtrAcct>[^]*?<\/DbtrAcct>)/, '$3$2$1'),
      ),
      cure(
        /(UnitCcy|QtdCcy): in the wrong place/,
        replace(/(<QtdCcy>[^<]*<\/QtdCcy>)(\s*)(<UnitCcy>[^<]*<\/UnitCcy>)/, '$3$2$1'),
      ),
    ],
  },
];
