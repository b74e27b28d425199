/**
 * The elements that the rules of Isthmus read or set. A scheme's usage guideline must have them, and must be
 * at least as strict about them as the built-in one (`xml/guideline.ts`). It may change all other elements
 * freely.
 */
import type { MessageName } from '../core/iso20022/messages.ts';

const agent = [
  'BICFI',
  'ClrSysMmbId',
  'ClrSysMmbId/ClrSysId',
  'ClrSysMmbId/MmbId',
  'LEI',
  'Othr',
  'Othr/Id',
].map((one) => `FinInstnId/${one}`);
const account = ['Id', 'Id/IBAN', 'Id/Othr', 'Id/Othr/Id', 'Prxy', 'Prxy/Tp', 'Prxy/Tp/Cd', 'Prxy/Id'];
const within = (name: string, parts: readonly string[]) => [name, ...parts.map((part) => `${name}/${part}`)];

const ofTransaction: readonly string[] = [
  ...within('PmtId', ['InstrId', 'EndToEndId', 'TxId', 'UETR', 'ClrSysRef']),
  ...within('PmtTpInf', ['InstrPrty', 'CtgyPurp', 'CtgyPurp/Cd']),
  ...['IntrBkSttlmAmt', 'IntrBkSttlmDt', 'AddtlDtTm', 'AddtlDtTm/AccptncDtTm', 'InstdAmt'],
  ...within('AgrdRate', ['UnitCcy', 'QtdCcy', 'PreAgrdXchgRate', 'QtId']),
  ...['ChrgBr', 'ChrgsInf', 'ChrgsInf/Amt', 'Purp', 'Purp/Cd'],
  ...[
    'ChrgsInf/Agt',
    'PrvsInstgAgt1',
    'InstgAgt',
    'InstdAgt',
    'IntrmyAgt1',
    'IntrmyAgt2',
    'DbtrAgt',
    'CdtrAgt',
  ].flatMap((name) => within(name, ['FinInstnId', ...agent])),
  ...['PrvsInstgAgt1Acct', 'IntrmyAgt1Acct', 'IntrmyAgt2Acct', 'DbtrAcct', 'CdtrAcct'].flatMap((name) =>
    within(name, account),
  ),
];

const ofPacs008: readonly string[] = [
  ...within('GrpHdr', [
    'MsgId',
    'CreDtTm',
    'NbOfTxs',
    'SttlmInf',
    'SttlmInf/SttlmMtd',
    'SttlmInf/ClrSys',
    'SttlmInf/ClrSys/Prtry',
  ]),
  ...within('CdtTrfTxInf', ofTransaction),
];

/** Paths below the message element, by message. `all` means every element of the built-in schema. */
export const readElements: Readonly<Record<MessageName, readonly string[] | 'all'>> = {
  pacs008: ofPacs008,
  pacs002: 'all',
  acmt023: 'all',
  acmt024: 'all',
  fxtr017: 'all',
  camt054: 'all',
  pacs028: 'all',
};

/**
 * Elements of a pacs.008 that no usage guideline may have, with the reason. The rules of Isthmus read or set
 * the same value elsewhere.
 */
export const contradicting: Readonly<Record<string, string>> = {
  'GrpHdr/PmtTpInf': 'priority and category purpose are read from CdtTrfTxInf/PmtTpInf (MSG-5, MSG-7)',
  'GrpHdr/BtchBookg': 'there is one transaction (MSG-5)',
};

/**
 * Elements of a pacs.008 that apply to one leg only. They would contradict the amount and date of the other
 * leg.
 */
export const ofOneLeg: readonly string[] = [
  'GrpHdr/CtrlSum',
  'GrpHdr/TtlIntrBkSttlmAmt',
  'GrpHdr/IntrBkSttlmDt',
  'CdtTrfTxInf/XchgRate',
  'CdtTrfTxInf/SttlmTmIndctn',
  'CdtTrfTxInf/SttlmTmReq',
];

/**
 * Elements that every usage guideline must have, because the rules of Isthmus set them or require them from a
 * source.
 */
export const mustHave: readonly string[] = [
  ...['MsgId', 'CreDtTm', 'NbOfTxs', 'SttlmInf/SttlmMtd', 'SttlmInf/ClrSys/Prtry'].map(
    (one) => `GrpHdr/${one}`,
  ),
  ...[
    ...['PmtId/EndToEndId', 'PmtId/UETR', 'PmtTpInf/InstrPrty', 'PmtTpInf/CtgyPurp/Cd', 'Purp/Cd'],
    ...[
      'IntrBkSttlmAmt',
      'IntrBkSttlmDt',
      'AddtlDtTm/AccptncDtTm',
      'AgrdRate/PreAgrdXchgRate',
      'AgrdRate/QtId',
    ],
    ...[
      'ChrgBr',
      'ChrgsInf/Amt',
      'ChrgsInf/Agt',
      'PrvsInstgAgt1',
      'PrvsInstgAgt1Acct',
      'InstgAgt',
      'InstdAgt',
    ],
    ...[
      'IntrmyAgt1',
      'IntrmyAgt1Acct',
      'IntrmyAgt2',
      'IntrmyAgt2Acct',
      'DbtrAgt',
      'CdtrAgt',
      'DbtrAcct',
      'CdtrAcct',
    ],
  ].map((one) => `CdtTrfTxInf/${one}`),
];
