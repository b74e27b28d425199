// docs/reference/rejections.md, written from the table that the gateway itself goes by.
import { passingReasons } from '../../core/resolution.ts';
import { linkRules } from '../../docs/reference/rule-links.ts';
import { faults } from '../../core/explanation.ts';
import { additionalInformation, explain } from '../../core/explanation.ts';
import { reject } from '../../core/rejection.ts';
import { rejections, type RejectionKey, type RejectionRow } from '../../core/rejection-table.ts';

const head = `# Rejections

Every reason for which the gateway itself refuses a message. The same table is served as JSON at \`GET /iso20022/rejections\`, and \`POST /iso20022/validate\` tells all of them that a message earns, before it is submitted. Written from \`core/rejection.ts\` by \`UPDATE_TABLES=1 npx vitest run test/api/rejections.test.ts\`; a test compares the two.

## How a message is refused

1. What could not be answered by a message is answered by HTTP 4xx \`application/problem+json\`, and nothing is stored (MSG-2): a body over 256 KiB (413); another content type, charset or a \`Content-Encoding\` (415); no token of role ipso (401, 403); bytes that are not UTF-8, a DOCTYPE, comment, processing instruction or CDATA section, XML 1.1, a declared encoding other than UTF-8, XML that is not well formed, another namespace than the expected one (400, which names it); a MsgId or UETR that is missing or malformed (400); a callback address that is not registered (422). Everything that can be known of such a body is told at once; what comes wrapped in a business application header or an envelope is told so (MSG-12).
2. Everything else is refused by a message: a pacs.008 by a pacs.002 \`RJCT\`, an acmt.023 by an acmt.024 with \`Vrfctn\` false. **The first failure is the one that is told**, in the order below.
3. A pacs.002 carries the ISO code in \`StsRsnInf/Rsn/Cd\` and, in \`AddtlInf\` (at most 105 characters), the rule, the XPath from \`CdtTrfTxInf\` on and what is wrong in a few words, with what stands there and what was expected where there is room: \`EXAMPLE\`. An XPath that is too long is cut at its head, a reason that is too long between its words; it is never left out. An acmt.024 has no place for more than the code. The long form (MSG-13) stands in the header \`Isthmus-Rejection\` of the HTTP answer and in the dry run: \`LONG\`.
   It says which of four it is: FAULTS. Elements are named only where the schema, or its list of what the scheme leaves out, has their name; an element of any other name is told by its parent and its neighbour. Codes, currencies, dates, amounts and counts are shown as found; values of persons, accounts and addresses, ids and free text never are.
4. A pacs.002 of a destination that is refused is answered by HTTP (PAY-8): unknown UETR 404, not the destination 403, other original ids 409, not valid 422.

## The order of the checks

A message that repeats a known one byte for byte is an enquiry and is not judged again (DUP-1). Every other pacs.008 is held, one after the other, against

1. its schema, in document order;
2. the rules of the message: \`PrvsInstgAgt1\` (MSG-10); zero amounts, then the digits of the rate; codes outside their external code sets, in document order;
3. reference data: the clearing system; currencies, of the settlement amount, \`UnitCcy\`, \`ChrgsInf[1]\` (those of the submitter's clearing system), \`QtdCcy\`, \`ChrgsInf[2]\` (one of the creditor agent's country), \`InstdAmt\` (of either); each amount's decimals; the agents of \`ChrgsInf[1]\`, then \`[2]\`, whatever identifiers they are named by; what the creditor agent's country requires, purpose first;
4. duplicates (DUP-2): the UETR, then the MsgId;
5. freshness: too old, ahead, past the deadline of HIGH;
6. agents: the debtor agent, then the creditor agent;
7. with a quote (PAY-4): it exists, belongs to the debtor agent, is not expired, is not in use; its rate, currencies, country, amount; intermediary agent 1, its account, intermediary agent 2, its account; the creditor agent fee, and that it leaves something;
   without one (PAY-5): the own account at intermediary agent 2; the creditor agent fee by its formula, and that it leaves something;
8. the destination maximum.

What only follows from another fault is not told: a currency is never held against one that is wrong itself, nor charges against a PSP that is refused. The dry run names under \`notJudged\` what it could not judge for such a reason (MSG-14).

An acmt.023 is held against duplicates of its MsgId, its schema, the rule that it names an account or a proxy, who asks (RES-5), its destination country, and then the proxy directory or the creditor agent (RES-2).

What a destination, a proxy directory or a creditor agent refuses passes on with its own code. The codes that the scheme lists for resolutions are LISTED (RES-4).

## The table

_Where_ is the XPath that \`AddtlInf\` names; "the element" stands for the very element that is at fault. A rule that several rows share is told apart by code and XPath. \`FF01\` for an element of MSG-5 (\`MsgId\`, \`NbOfTxs\`, \`SttlmMtd\`, \`InstrId\`, \`EndToEndId\`, \`TxId\`, \`UETR\`, \`ClrSysRef\`, \`InstrPrty\`, \`ChrgBr\`, a second \`CdtTrfTxInf\`) cites MSG-5, decimals beyond the currency's cite MON-2, a rate of more than 11 digits MON-1, \`PrvsInstgAgt1\` from a source MSG-10; in other cases the rule is the row's. The public text is the row's where the check itself has nothing more precise to say.

`;

const example = reject('guideline-violated', '/Document/FIToFICstmrCdtTrf/CdtTrfTxInf/ChrgBr', undefined, {
  text: 'must be SHAR',
  fault: 'not-used',
  found: 'DEBT',
  expected: 'SHAR',
});

export function renderRejections(): string {
  const rows = Object.entries(rejections) as [RejectionKey, RejectionRow][];
  const lines = rows.map(([id, { isoCode, ruleId, checks, xpath, fault, text }]) => {
    const where = xpath === undefined ? placeless(fault) : `\`${xpath.replace(/^\/Document\/\w+\//, '')}\``;
    return `| \`${id}\` | ${isoCode} | ${ruleId} | ${checks} | ${where} | ${text} |`;
  });
  const listed = [...passingReasons].sort();
  const written = [
    head
      .replace('EXAMPLE', additionalInformation(example))
      .replace('LONG', explain(example))
      .replace('FAULTS', Object.values(faults).join('; '))
      .replace('LISTED', listed.join(', ')),
    '| id | ISO code | rule | what must hold | where | public text |\n',
    '| -- | -------- | ---- | -------------- | ----- | ----------- |\n',
    ...lines.map((one) => `${one}\n`),
  ];
  return linkRules(written.join(''));
}

/** What says nothing about the message names no place in it. */
const placeless = (fault: RejectionRow['fault']) => (fault === null ? '-' : 'the element');
