/**
 * Reads the acmt.023 (request to resolve a proxy or confirm an account), and builds the acmt.023 for the
 * party that can answer it (RES-3). core/resolutions/resolution.ts chooses that party.
 */
import { assert } from '../assert.ts';
import { isIdentifier } from '../ids.ts';
import { reject, type Rejection } from '../rejections/rejection.ts';
import { ok, refused, type Result } from '../result.ts';
import { findUnknownCodes } from './coded-elements.ts';
import { findWrongIbans } from '../payments/iban.ts';
import { messages } from './messages.ts';
import { compact } from '../compact.ts';
import {
  buildAccount,
  buildAgent,
  collapsed,
  readAccount,
  readAgent,
  type AccountIdentification,
  type AgentIdentification,
} from './parties.ts';
import { usable, usableAgent, usableDateTime } from './references.ts';
import { branch, elementAt, leaf, renderDocument, textAt, type XmlElement } from './tree.ts';

export interface Acmt023 {
  readonly messageIdentification: string;
  readonly creationDateTime: string;
  /** `Assgne/Agt/FinInstnId/PstlAdr/Ctry`: the country of the account. */
  readonly destinationCountry: string;
  /** `Vrfctn/Id`. */
  readonly verificationId: string;
  /** A proxy, an account, or both. */
  readonly account: AccountIdentification;
  readonly creditorAgent?: AgentIdentification;
  /** `Acct/Ccy`. */
  readonly currency?: string;
  /** The `IdVrfctnReq` element. The gateway forwards each part that no rule changes exactly as received. */
  readonly request: XmlElement;
}

/** The values of an acmt.023 that its answer repeats. */
export interface RequestReferences {
  readonly messageIdentification: string;
  readonly creationDateTime?: string;
  /** `NOTPROVIDED` if the request has no id that an answer can carry. */
  readonly verificationId: string;
  /** `Assgnr`, the party that asked. Absent if an invalid request names no party that an answer can carry. */
  readonly assigner?: XmlElement;
}

const message = messages.acmt023;
const xpath = (path: string) => `/Document/${message.messageElement}/${path}`;

/**
 * Reads a source's acmt.023 that passed its schema.
 * @returns a rejection if it has neither an account nor a proxy, or has an unknown code or a wrong IBAN
 */
export function readAcmt023(document: XmlElement): Result<Acmt023, Rejection> {
  const value = takeAcmt023(document);
  const { iban, otherId, proxy } = value.account;
  if (iban === undefined && otherId === undefined && proxy === undefined) {
    return refused(
      reject('element-missing', xpath('Vrfctn/PtyAndAcctId/Acct/Id'), 'RES-2', {
        text: 'account or proxy missing',
        found: 'nothing',
        expected: 'an account (Id) or a proxy (Prxy)',
      }),
    );
  }
  const at = `/Document/${message.messageElement}`;
  const [fault] = [...findUnknownCodes(value.request, at), ...findWrongIbans(value.request, at)];
  return fault === undefined ? ok(value) : refused(fault);
}

/**
 * Reads like `readAcmt023`, without its checks. Use it for requests that were accepted before, perhaps under
 * another edition of the code sets. Use it also for the gateway's own requests, which may carry a party's
 * findings.
 */
export function takeAcmt023(document: XmlElement): Acmt023 {
  const request = elementAt(document, message.messageElement);
  const known = request && elementAt(request, 'Vrfctn/PtyAndAcctId');
  const account = known && readAccount(elementAt(known, 'Acct'));
  assert(
    request !== undefined && known !== undefined && account !== undefined,
    'a validated acmt.023 names an account or a proxy',
  );
  return compact<Acmt023>({
    messageIdentification: textAt(request, 'Assgnmt/MsgId') ?? '',
    creationDateTime: collapsed(textAt(request, 'Assgnmt/CreDtTm') ?? ''),
    destinationCountry: textAt(request, 'Assgnmt/Assgne/Agt/FinInstnId/PstlAdr/Ctry') ?? '',
    verificationId: textAt(request, 'Vrfctn/Id') ?? '',
    account,
    creditorAgent: readAgent(elementAt(known, 'Agt')),
    currency: textAt(known, 'Acct/Ccy'),
    request,
  });
}

/** References for the answer to a valid request. */
export function requestReferencesOf(acmt023: Acmt023): RequestReferences {
  return compact<RequestReferences>({
    messageIdentification: acmt023.messageIdentification,
    creationDateTime: acmt023.creationDateTime,
    verificationId: acmt023.verificationId,
    assigner: elementAt(acmt023.request, 'Assgnmt/Assgnr'),
  });
}

export const notProvided = 'NOTPROVIDED'; // ISO 20022 practice for a missing mandatory id

/** References for the answer to a request that may be invalid. Omits all that an answer cannot carry. */
export function readRequestReferences(
  document: XmlElement,
  messageIdentification: string,
): RequestReferences {
  const request = elementAt(document, message.messageElement);
  const agent = usableAgent(request && elementAt(request, 'Assgnmt/Assgnr/Agt'));
  return compact<RequestReferences>({
    messageIdentification,
    creationDateTime: usableDateTime(request && textAt(request, 'Assgnmt/CreDtTm')),
    verificationId: usable(request && textAt(request, 'Vrfctn/Id'), isIdentifier) ?? notProvided,
    assigner: agent && branch('Assgnr', buildAgent('Agt', agent)),
  });
}

/** The values that RES-3 sets on a leg; everything else comes from the received message. */
export interface RequestLeg {
  readonly messageIdentification: string;
  readonly creationDateTime: string;
  /** The proxy directory or the creditor agent. */
  readonly assignee: AgentIdentification;
  /** The destination country. */
  readonly country: string;
  /** The account that the proxy directory found, for the creditor agent. Used only if the request has no account id. */
  readonly account?: AccountIdentification;
  readonly creditorAgent?: AgentIdentification;
}

/** `Assgne`: the party that is asked, with its identifier and country. */
function buildAssignee(assignee: AgentIdentification, country: string): XmlElement {
  const [institution] = buildAgent('Agt', assignee).children;
  const children = institution?.children ?? [];
  return branch(
    'Assgne',
    branch(
      'Agt',
      branch(
        'FinInstnId',
        ...children.filter((one) => one.name !== 'Othr'),
        branch('PstlAdr', leaf('Ctry', country)),
        ...children.filter((one) => one.name === 'Othr'),
      ),
    ),
  );
}

function withChildren(element: XmlElement, replaced: ReadonlyMap<string, XmlElement>): XmlElement {
  return branch(element.name, ...element.children.map((one) => replaced.get(one.name) ?? one));
}

/** Adds the account id that the directory found to an `Acct` that has none. */
function completeAccount(account: XmlElement, found: AccountIdentification | undefined): XmlElement {
  if (found === undefined || elementAt(account, 'Id') !== undefined) return account;
  const { iban, otherId } = found;
  const [id] = buildAccount(
    'Acct',
    compact<AccountIdentification>({ iban, otherId, proxy: undefined }),
  ).children;
  return branch('Acct', id, ...account.children);
}

/** Renders the acmt.023 of one leg as XML text. */
export function buildForwardedAcmt023(received: Acmt023, leg: RequestLeg): string {
  const { request } = received;
  const assignment = elementAt(request, 'Assgnmt');
  const verification = elementAt(request, 'Vrfctn');
  const known = verification && elementAt(verification, 'PtyAndAcctId');
  assert(
    assignment !== undefined && verification !== undefined && known !== undefined,
    'a validated acmt.023 has Assgnmt and Vrfctn',
  );
  const agent = leg.creditorAgent;
  const completed = branch(
    'PtyAndAcctId',
    ...known.children.map((one) => (one.name === 'Acct' ? completeAccount(one, leg.account) : one)),
    agent === undefined || elementAt(known, 'Agt') !== undefined ? undefined : buildAgent('Agt', agent),
  );
  const forwarded = branch(
    message.messageElement,
    withChildren(
      assignment,
      new Map([
        ['MsgId', leaf('MsgId', leg.messageIdentification)],
        ['CreDtTm', leaf('CreDtTm', leg.creationDateTime)],
        ['Assgne', buildAssignee(leg.assignee, leg.country)],
      ]),
    ),
    withChildren(verification, new Map([['PtyAndAcctId', completed]])),
  );
  return renderDocument(message.namespace, branch('Document', forwarded));
}
