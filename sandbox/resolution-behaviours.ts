/**
 * The data of the simulated proxy directories and creditor agents. Accounts and owners follow a rule that can be worked
 * out by hand; the last four digits select refusals. `resolution-party.ts` answers.
 */
import type { AccountIdentification } from '../core/iso20022/parties.ts';
import type { KnownAccount } from '../core/iso20022/acmt024.ts';

/**
 * Reason codes by the last four digits of a proxy or an account: every code of RES-4, and one that it does not list.
 */
const reasons: Readonly<Partial<Record<string, string>>> = {
  '0401': 'AC01',
  '0402': 'AC04',
  '0403': 'AC06',
  '0404': 'BE23',
  '0405': 'FRAD',
  '0406': 'MD07',
  '0410': 'RR01',
  '0411': 'RR02',
  '0412': 'RC06',
  '0413': 'RC07',
  '0414': 'AGNT',
  '0415': 'AB08',
  '0416': 'DUPL',
  '0417': 'MS03',
};

/** `slow`: the answer takes two seconds. `silent`: there is no answer. */
export type Pace = 'prompt' | 'slow' | 'silent';

const paces: Readonly<Partial<Record<string, Pace>>> = { '0407': 'slow', '0408': 'silent' };

/** @param key digits of a proxy, or an account number */
export function paceOf(key: string): Pace {
  return paces[key.slice(-4)] ?? 'prompt';
}

/** Why the proxy or account is refused; undefined if it is known. Without digits, it belongs to nobody. */
export function reasonOf(key: string): string | undefined {
  return key === '' ? 'BE23' : reasons[key.slice(-4)];
}

/** The digits of a mobile number; those of an e-mail address fill up 9900000000 from the right. */
export function accountNumberOf(proxyId: string): string {
  const digits = (proxyId.split('@', 1)[0] ?? '').replaceAll(/\D/g, '');
  return proxyId.includes('@') ? `99${digits.slice(-8).padStart(8, '0')}` : digits;
}

/** First four letters of the creditor agent's BIC, by the fifth digit from the right. Other digits select Lotus. */
const agentPrefixes: Readonly<Partial<Record<string, string>>> = {
  '1': 'BANY', // onboarded, does not support acmt.023
  '2': 'FERN', // not onboarded
  '3': 'NONE', // not in the reference data
};

/** BIC of the institution that holds an account in a country. */
export function agentBicOf(accountNumber: string, country: string): string {
  return `${agentPrefixes[accountNumber.slice(-5, -4)] ?? 'LOTU'}${country}S0`;
}

const owners = [
  'Mei Lin Tan',
  'Somchai Jaidee',
  'Nurul Hassan',
  'Maria Santos',
  'Arjun Mehta',
  'Dewi Lestari',
  'Wing Chan',
  'Anna Weber',
  'Claire Martin',
  'Haruto Sato',
] as const;

/** The owner by the last digit; the public name is the initial and the last name. */
export function ownerOf(
  account: AccountIdentification,
): Required<Pick<KnownAccount, 'partyName' | 'accountName'>> {
  const lastDigit = /(\d)\D*$/.exec(account.iban ?? account.otherId ?? '')?.[1] ?? '0';
  const partyName = owners[Number(lastDigit)] ?? owners[0];
  const names = partyName.split(' ');
  const accountName = `${partyName.charAt(0)}. ${names.at(-1)?.toUpperCase() ?? ''}`;
  return { partyName, accountName };
}
