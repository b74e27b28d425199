// Reads a camt.054 as its receiver does, apart from what builds it.
import { compact } from '../../core/compact.ts';
import type {
  Camt054,
  Camt054Entry,
  CountedStatus,
  Direction,
  NumberAndSum,
} from '../../core/iso20022/camt054.ts';
import { readAgent, readAmount } from '../../core/iso20022/parties.ts';
import { childrenNamed, elementAt, textAt, type XmlElement } from '../../core/iso20022/tree.ts';
import type { Rejection } from '../../core/rejections/rejection.ts';
import type { FinalStatus } from '../../core/payments/report.ts';
import { ok, type Result } from '../../core/result.ts';

function readEntry(entry: XmlElement): Camt054Entry {
  const at = reading(entry);
  const transaction = at('NtryDtls/TxDtls');
  const counter = elementAt(transaction, 'AmtDtls/CntrValAmt/Amt');
  const [reasonCode, ruleId] = textAt(transaction, 'AddtlTxInf')?.split(' ') ?? [];
  return compact<Camt054Entry>({
    reference: Number(at('NtryRef').text),
    amount: readAmount(at('Amt')),
    direction: at('CdtDbtInd').text as Direction,
    status: at('BkTxCd/Prtry/Cd').text as FinalStatus,
    reasonCode,
    ruleId,
    decidedAt: at('BookgDt/DtTm').text,
    messageIdentification: at('NtryDtls/TxDtls/Refs/MsgId').text,
    endToEndId: at('NtryDtls/TxDtls/Refs/EndToEndId').text,
    uetr: at('NtryDtls/TxDtls/Refs/UETR').text,
    counterAmount: counter && readAmount(counter),
    debtorAgent: readAgent(elementAt(transaction, 'RltdAgts/DbtrAgt')) ?? {},
    creditorAgent: readAgent(elementAt(transaction, 'RltdAgts/CdtrAgt')) ?? {},
  });
}

const messageElement = 'BkToCstmrDbtCdtNtfctn';

const reading = (element: XmlElement) => (path: string) => {
  const found = elementAt(element, path);
  if (found === undefined)
    throw new Error(`${path} is mandatory in the schema, yet absent in a validated message`);
  return found;
};

function readCount(element: XmlElement): NumberAndSum {
  const at = reading(element);
  return { number: Number(at('NbOfNtries').text), sum: at('Sum').text };
}

function readStatus(row: XmlElement): CountedStatus {
  const at = reading(row);
  return {
    status: at('BkTxCd/Prtry/Cd').text as FinalStatus,
    all: readCount(row),
    credits: readCount(at('CdtNtries')),
    debits: readCount(at('DbtNtries')),
    net: { amount: at('TtlNetNtry/Amt').text, direction: at('TtlNetNtry/CdtDbtInd').text as Direction },
  };
}

/** The values of a camt.054 that its schema found valid. */
export function readCamt054(document: XmlElement): Result<Camt054, Rejection> {
  const at = reading(document);
  const below = `${messageElement}/Ntfctn`;
  return ok(
    compact<Camt054>({
      messageIdentification: at(`${messageElement}/GrpHdr/MsgId`).text,
      id: at(`${below}/Id`).text,
      page: Number(at(`${messageElement}/GrpHdr/MsgPgntn/PgNb`).text),
      isLastPage: at(`${messageElement}/GrpHdr/MsgPgntn/LastPgInd`).text === 'true',
      from: at(`${below}/FrToDt/FrDtTm`).text,
      to: at(`${below}/FrToDt/ToDtTm`).text,
      book: at(`${below}/Acct/Id/Othr/Id`).text,
      currency: at(`${below}/Acct/Ccy`).text,
      servicer: readAgent(elementAt(document, `${below}/Acct/Svcr`)),
      all: readCount(at(`${below}/TxsSummry/TtlNtries`)),
      credits: readCount(at(`${below}/TxsSummry/TtlCdtNtries`)),
      debits: readCount(at(`${below}/TxsSummry/TtlDbtNtries`)),
      byStatus: childrenNamed(at(`${below}/TxsSummry`), 'TtlNtriesPerBkTxCd').map(readStatus),
      entries: childrenNamed(at(below), 'Ntry').map(readEntry),
    }),
  );
}
