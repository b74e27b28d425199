/** Reads agents, accounts and amounts of all messages into plain values, and builds them in schema order. */
import { compact } from '../compact.ts';
import { codeSets } from './external-codes.ts';
import { branch, elementAt, leaf, optionalLeaf, textAt, type XmlElement, trimmed } from './tree.ts';

/** `amount` is a decimal string as written, without surrounding whitespace. */
export interface Amount {
  readonly currency: string;
  readonly amount: string;
}

/** A financial institution, identified by any of its identifiers (`FinInstnId`). */
export interface AgentIdentification {
  readonly bicfi?: string;
  readonly lei?: string;
  readonly memberId?: { readonly clearingSystemId?: string; readonly memberId: string };
  readonly otherId?: string;
  readonly name?: string;
}

/** An account, identified by IBAN or another id, with the proxy if the sender used one. */
export interface AccountIdentification {
  readonly iban?: string;
  readonly otherId?: string;
  readonly proxy?: { readonly type?: string; readonly id: string };
}

/**
 * Removes the whitespace around decimals, dates and times. XML Schema ignores it there (whiteSpace collapse).
 */
export function collapsed(text: string): string {
  return trimmed(text);
}

export function readAmount(element: XmlElement): Amount {
  return { currency: element.attributes['Ccy'] ?? '', amount: collapsed(element.text) };
}

export function buildAmount(name: string, amount: Amount): XmlElement {
  return leaf(name, amount.amount, { Ccy: amount.currency });
}

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

function readMemberId(element: XmlElement): NonNullable<AgentIdentification['memberId']> {
  return compact<{ clearingSystemId?: string; memberId: string }>({
    clearingSystemId: textAt(element, 'ClrSysId/Cd') ?? textAt(element, 'ClrSysId/Prtry'),
    memberId: textAt(element, 'MmbId') ?? '',
  });
}

/**
 * Makes one pass over the children for speed, because a message has a dozen agents.
 * @param element an agent element such as `DbtrAgt`; undefined gives undefined
 */
export function readAgent(element: XmlElement | undefined): AgentIdentification | undefined {
  const institution = element && elementAt(element, 'FinInstnId');
  if (institution === undefined) return undefined;
  const agent: Writable<AgentIdentification> = {};
  for (const child of institution.children) {
    if (child.name === 'BICFI') agent.bicfi = child.text;
    else if (child.name === 'LEI') agent.lei = child.text;
    else if (child.name === 'Nm') agent.name = child.text;
    else if (child.name === 'ClrSysMmbId') agent.memberId = readMemberId(child);
    else if (child.name === 'Othr') {
      const otherId = textAt(child, 'Id');
      if (otherId !== undefined) agent.otherId = otherId;
    }
  }
  return agent;
}

function buildMemberId(memberId: AgentIdentification['memberId']): XmlElement | undefined {
  if (memberId === undefined) return undefined;
  const system = memberId.clearingSystemId;
  const inCode = system !== undefined && codeSets().codes.memberSystem.has(system);
  return branch(
    'ClrSysMmbId',
    system === undefined ? undefined : branch('ClrSysId', leaf(inCode ? 'Cd' : 'Prtry', system)),
    leaf('MmbId', memberId.memberId),
  );
}

export function buildAgent(name: string, agent: AgentIdentification): XmlElement {
  return branch(
    name,
    branch(
      'FinInstnId',
      optionalLeaf('BICFI', agent.bicfi),
      buildMemberId(agent.memberId),
      optionalLeaf('LEI', agent.lei),
      optionalLeaf('Nm', agent.name),
      agent.otherId === undefined ? undefined : branch('Othr', leaf('Id', agent.otherId)),
    ),
  );
}

/** @param element an account element such as `CdtrAcct` (REF-5); undefined gives undefined */
export function readAccount(element: XmlElement | undefined): AccountIdentification | undefined {
  if (element === undefined) return undefined;
  const account: Writable<AccountIdentification> = {};
  const iban = textAt(element, 'Id/IBAN');
  const otherId = iban === undefined ? textAt(element, 'Id/Othr/Id') : undefined;
  const proxyId = textAt(element, 'Prxy/Id');
  if (iban !== undefined) account.iban = iban;
  if (otherId !== undefined) account.otherId = otherId;
  if (proxyId !== undefined) {
    account.proxy = compact<{ type?: string; id: string }>({
      type: textAt(element, 'Prxy/Tp/Cd'),
      id: proxyId,
    });
  }
  return account;
}

export function buildAccount(name: string, account: AccountIdentification): XmlElement {
  const { iban, otherId, proxy } = account;
  return branch(
    name,
    iban !== undefined
      ? branch('Id', leaf('IBAN', iban))
      : otherId === undefined
        ? undefined
        : branch('Id', branch('Othr', leaf('Id', otherId))),
    proxy === undefined
      ? undefined
      : branch(
          'Prxy',
          proxy.type === undefined ? undefined : branch('Tp', leaf('Cd', proxy.type)),
          leaf('Id', proxy.id),
        ),
  );
}

/** Normalises a BIC8, because it names the same institution as the BIC with `XXX`. */
function bic11(bic: string): string {
  return bic.length === 8 ? `${bic}XXX` : bic;
}

/**
 * Whether two agents name the same institution.
 * @returns undefined if they share no kind of identifier, so that only reference data can decide
 */
export function sameAgent(one: AgentIdentification, other: AgentIdentification): boolean | undefined {
  if (one.bicfi !== undefined && other.bicfi !== undefined) return bic11(one.bicfi) === bic11(other.bicfi);
  if (one.lei !== undefined && other.lei !== undefined) return one.lei === other.lei;
  if (one.memberId !== undefined && other.memberId !== undefined) {
    return (
      one.memberId.memberId === other.memberId.memberId &&
      one.memberId.clearingSystemId === other.memberId.clearingSystemId
    );
  }
  if (one.otherId !== undefined && other.otherId !== undefined) return one.otherId === other.otherId;
  return undefined;
}
