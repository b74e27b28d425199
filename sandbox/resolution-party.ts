/**
 * Simulates the proxy directory and the creditor agents behind a destination operator. They check the
 * gateway's acmt.023 and answer with an acmt.024 in the HTTP response. `resolution-behaviours.ts` determines
 * the answer.
 */
import { randomUUID } from 'node:crypto';
import { readAcmt023, requestReferencesOf, type Acmt023 } from '../core/iso20022/acmt023.ts';
import { answerAcmt023, type Acmt024Statement, type KnownAccount } from '../core/iso20022/acmt024.ts';
import { readAgent, type AgentIdentification } from '../core/iso20022/parties.ts';
import { elementAt } from '../core/iso20022/tree.ts';
import { ok, refused, type Result } from '../core/result.ts';
import type { PartyAnswer, PartyRequest } from './http.ts';
import { sha256Of, type NewEntry } from './journal.ts';
import { explained } from './messages.ts';
import { received, refuse, type PartyTools } from './party.ts';
import { accountNumberOf, agentBicOf, ownerOf, paceOf, reasonOf } from './resolution-behaviours.ts';

export interface ResolutionParty {
  takeAcmt023(request: PartyRequest): Promise<PartyAnswer>;
}

export interface ResolutionTools extends PartyTools {
  /** Name of the operator in the journal, such as `destination/IPSO-TH`. */
  readonly party: string;
  /** Waits as long as a slow party does. */
  readonly delay: () => Promise<void>;
}

/** The contents of a party's answer to a request. */
interface Saying {
  /** Digits of the proxy or account that select the behaviour. */
  readonly key: string;
  readonly assigner: AgentIdentification;
  readonly reasonCode: string | undefined;
  readonly found: KnownAccount;
}

const acmt023Values = explained(readAcmt023);

export function openResolutionParty(tools: ResolutionTools): ResolutionParty {
  const { party, journal, reader, delay } = tools;
  /** The SHA-256 of the first request, by MsgId. */
  const seen = new Map<string, string>();

  return {
    async takeAcmt023(request) {
      const entry = received(party, 'acmt023', request);
      const reading = await reader.read(request.body, 'acmt023', acmt023Values);
      if (!reading.ok) return refuse(journal, entry, reading.refusal);
      const { messageIdentification: messageId, values } = reading.value;
      const sha256 = sha256Of(request.body);
      const first = seen.get(messageId) ?? sha256;
      seen.set(messageId, first);
      if (first !== sha256) {
        const fault = { httpStatus: 409, detail: 'MSG-8: the same MsgId with other bytes' };
        return refuse(journal, { ...entry, messageId }, fault);
      }
      const said = say(values);
      if (!said.ok) {
        return refuse(journal, { ...entry, messageId }, { httpStatus: 422, detail: said.refusal });
      }
      const saying = said.value;
      const pace = paceOf(saying.key);
      journal.record({
        ...entry,
        messageId,
        ...(pace === 'silent' ? { note: 'will never be answered' } : { httpStatus: 200 }),
      });
      if (pace === 'silent') return new Promise(() => undefined);
      if (pace === 'slow') await delay();
      const answer = write(values, saying);
      journal.record({ party, ...answer.entry });
      return { status: 200, contentType: 'application/xml', body: answer.text };
    },
  };
}

/** @returns the answer, or a description of the broken rule */
function say(request: Acmt023): Result<Saying, string> {
  const institution = elementAt(request.request, 'Assgnmt/Assgne/Agt');
  const assignee = readAgent(institution) ?? {};
  const { account, destinationCountry: country } = request;
  const isDirectory = assignee.otherId === `${country}-PROXY`;
  if (isDirectory) {
    if (account.proxy === undefined) return refused('RES-2: a proxy directory is asked about proxies only');
    return ok(sayDirectory(request, assignee, account.proxy.id));
  }
  if (assignee.bicfi !== `LOTU${country}S0` && assignee.bicfi !== `LOTU${country}S0BER`) {
    return refused('RES-2: the assignee does not support acmt.023');
  }
  const key = account.iban ?? account.otherId;
  if (key === undefined) return refused('RES-2: a creditor agent is asked about accounts only');
  return ok({
    key,
    assigner: assignee,
    reasonCode: reasonOf(key),
    found: { ...ownerOf(account), account, agent: assignee },
  });
}

/**
 * Answers for a proxy directory. In the Philippines a proxy is unique only within its institution, so the
 * request must also contain the institution's BIC.
 */
function sayDirectory(request: Acmt023, assigner: AgentIdentification, proxyId: string): Saying {
  const { destinationCountry: country, creditorAgent, account } = request;
  const key = accountNumberOf(proxyId);
  const needsAgent = country === 'PH' && creditorAgent === undefined;
  const { accountName } = ownerOf({ otherId: key });
  return {
    key,
    assigner,
    reasonCode: needsAgent ? 'RC07' : reasonOf(key),
    found: {
      account: { ...account, otherId: key },
      accountName,
      agent: creditorAgent ?? { bicfi: agentBicOf(key, country) },
    },
  };
}

function write(
  request: Acmt023,
  { assigner, reasonCode, found }: Saying,
): { readonly text: string; readonly entry: Omit<NewEntry, 'party'> } {
  const messageId = randomUUID().replaceAll('-', ''); // at most 35 characters (Max35Text)
  const verified = reasonCode === undefined;
  const statement: Acmt024Statement = {
    messageIdentification: messageId,
    creationDateTime: new Date().toISOString(),
    assigner,
    assignee: assigner,
    verified,
    ...(verified ? { found } : { reasonCode }),
  };
  const text = answerAcmt023(requestReferencesOf(request), statement);
  return {
    text,
    entry: {
      direction: 'sent',
      kind: 'acmt024',
      messageId,
      status: String(verified),
      ...(verified ? {} : { reasonCode }),
      bytes: Buffer.from(text),
      note: 'in the HTTP answer',
    },
  };
}
