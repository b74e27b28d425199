// docs/reference/rejections.md, written from the table that the gateway itself goes by.
import { passingReasons } from '../../../core/resolutions/resolution.ts';
import { linkRules } from '../../../docs/reference/rule-links.ts';
import { rejectionExamples } from './rejection-examples.ts';
import { faults, additionalInformation, explain } from '../../../core/rejections/explanation.ts';
import { reject } from '../../../core/rejections/rejection.ts';
import {
  rejections,
  type RejectionKey,
  type RejectionRow,
} from '../../../core/rejections/rejection-table.ts';

const head = `# Rejections

Every reason for which the gateway itself refuses a message. \`GET /iso20022/rejections\` serves the same table as JSON. \`POST /iso20022/validate\`, the dry run, reports every fault that can be known without the payment's own record; under \`notJudged\` it lists the rest, such as quotes, duplicates and, with a quote, the destination maximum (MSG-14). This page is written from \`core/rejections/rejection-table.ts\` by \`UPDATE_TABLES=1 npx vitest run test/api/payments/rejections.test.ts\`; a test compares the two.

## How a message is refused

**By HTTP 4xx**, as \`application/problem+json\`, if it cannot be answered by a message (MSG-2). Nothing is stored. The answer lists everything that can be known about the body at once, unless its bytes are refused before they are parsed (not UTF-8, a DOCTYPE, a comment and the like): then it lists the faults of the bytes alone. It says so if the message is wrapped in a business application header or an envelope (MSG-12).

- 413: a body over 256 KiB
- 415: another content type or charset, or a \`Content-Encoding\` other than identity
- 401, 403: no token with the role ipso
- 400: bytes that are not UTF-8; a DOCTYPE, comment, processing instruction or CDATA section; XML 1.1; a declared encoding other than UTF-8; XML that is not well formed; a namespace other than the expected one, which the answer names; a MsgId or UETR that is missing or malformed
- 422: a callback address that is not registered

**By a message** in every other case: a pacs.008 by a pacs.002 \`RJCT\`, an acmt.023 by an acmt.024 with \`Vrfctn\` false. Only the first failure is reported, in the order below.

- A pacs.002 carries the ISO code in \`StsRsnInf/Rsn/Cd\`. Its \`AddtlInf\` (at most 105 characters) has the rule, the XPath from \`CdtTrfTxInf\` on and the fault in a few words, with what was found and what was expected if there is room: \`EXAMPLE\`. An XPath that is too long loses its beginning; a reason that is too long is cut between words, but never left out.
- An acmt.024 has room for the code only.
- The long form (MSG-13) is in the header \`Isthmus-Rejection\` of the HTTP answer, and in the dry run: \`LONG\`. It says which kind of fault it is: FAULTS.
- An element is named only if the schema, or its list of what the scheme leaves out, has that name; any other element is described by its parent and its neighbour. Codes, currencies, dates, amounts and counts are shown as found; ids, free text and the values of persons, accounts and addresses never are.

**A destination's pacs.002** is refused by HTTP (PAY-8): unknown UETR 404, not the payment's destination 403, other original ids 409, not valid 422.

## The order of the checks

A message that repeats a known one byte for byte is an enquiry and is not judged again (DUP-1). Every other pacs.008 is checked in this order:

1. its schema, in document order;
2. the rules of the message: \`PrvsInstgAgt1\` (MSG-10); zero amounts, then the digits of the rate; codes outside their external code sets, in document order; wrong IBANs, in document order;
3. reference data: the clearing system; the currencies of the settlement amount, \`UnitCcy\`, \`ChrgsInf[1]\` (those of the submitter's clearing system), \`QtdCcy\`, \`ChrgsInf[2]\` (one of the creditor agent's country) and \`InstdAmt\` (of either); each amount's decimals; the agents of \`ChrgsInf[1]\`, then \`[2]\`, whatever identifiers name them; what the creditor agent's country requires, the purpose first;
4. duplicates (DUP-2): the UETR, then the MsgId;
5. freshness: too old, ahead of time, past the HIGH deadline;
6. agents: the debtor agent, then the creditor agent;
7. with a quote (PAY-4): it exists, belongs to the debtor agent, has not expired, is not in use; its rate, currencies, country, amount; intermediary agent 1, its account, intermediary agent 2, its account; the creditor agent fee, and that something is left after it;
   without a quote (PAY-5): the debtor agent's own account at intermediary agent 2; with InstdAmt in destination currency, the source amount (FEE-7); the creditor agent fee by its formula, and that something is left after it;
8. the destination maximum.

A fault that only follows from another one is not reported: no currency is compared with one that is itself wrong, and no charges with a PSP that was refused. The dry run lists under \`notJudged\` what it could not judge for such a reason (MSG-14).

An acmt.023 is checked for duplicates of its MsgId, then against its schema, the rule that it names an account or a proxy, its codes, its IBAN (REF-7), who is asking (RES-5) and its destination country; then the proxy directory or the creditor agent is asked (RES-2).

If a destination, a proxy directory or a creditor agent refuses, its own code passes on. The codes that the scheme lists for resolutions are LISTED (RES-4).

## The table

Each row: the id; the ISO code; the rule; what must hold; where (the XPath that \`AddtlInf\` names, below the message element); and the public text, unless the check has something more precise to say. Below it stands an example: what is wrong with the message, and the long form of what its sender is told. Rows that share a rule differ by code and XPath.

The rule is the row's, with these exceptions: \`FF01\` for \`MsgId\`, \`NbOfTxs\`, \`SttlmMtd\`, \`InstrId\`, \`EndToEndId\`, \`TxId\`, \`UETR\`, \`ClrSysRef\`, \`InstrPrty\`, \`ChrgBr\` or a second \`CdtTrfTxInf\` cites MSG-5; more decimals than the currency has, MON-2; a rate of more than 11 digits, MON-1; \`PrvsInstgAgt1\` from a source, MSG-10.

`;

const example = reject('guideline-violated', '/Document/FIToFICstmrCdtTrf/CdtTrfTxInf/ChrgBr', undefined, {
  text: 'must be SHAR',
  fault: 'not-used',
  found: 'DEBT',
  expected: 'SHAR',
});

export async function renderRejections(): Promise<string> {
  const rows = Object.entries(rejections) as [RejectionKey, RejectionRow][];
  const told = await Promise.all(
    rows.map(async ([id]) => {
      const { input, cause } = rejectionExamples[id];
      const rejection = await cause();
      if (rejection?.key !== id)
        throw new Error(`the example of ${id} is told ${rejection?.key ?? 'nothing'}`);
      return `  - ${input}: “${explain(rejection)}”`;
    }),
  );
  const lines = rows.map(([id, { isoCode, ruleId, checks, xpath, fault, text }], index) => {
    const where =
      xpath === undefined ? placeless(fault) : `At \`${xpath.replace(/^\/Document\/\w+\//, '')}\``;
    return `- **\`${id}\`** \`${isoCode}\` ${ruleId}: ${checks} ${where}: “${text}”\n${told[index] ?? ''}`;
  });
  const listed = [...passingReasons].sort();
  const written = [
    head
      .replace('EXAMPLE', additionalInformation(example))
      .replace('LONG', explain(example))
      .replace('FAULTS', Object.values(faults).join('; '))
      .replace('LISTED', listed.join(', ')),
    ...lines.map((one) => `${one}\n`),
  ];
  return linkRules(written.join(''));
}

/** Where a row without an XPath applies: what says nothing about the message names no element. */
const placeless = (fault: RejectionRow['fault']) => (fault === null ? 'Names no element' : 'At the element');
