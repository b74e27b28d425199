/**
 * The data of the simulated proxy directories and creditor agents. Accounts and owners follow simple rules,
 * so that a tester can predict each answer. The last four digits select refusals. `resolution-party.ts` sends
 * the answers.
 */
import type { AccountIdentification } from '../core/iso20022/parties.ts';
import type { KnownAccount } from '../core/iso20022/acmt024.ts';

/**
 * Reason codes of refusals, by the last four digits of a proxy or account. They are all codes of RES-4, and
 * one code that is not in its list.
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

/** Speed of the answer. `slow` means after two seconds. `silent` means never. */
export type Pace = 'prompt' | 'slow' | 'silent';

const paces: Readonly<Partial<Record<string, Pace>>> = { '0407': 'slow', '0408': 'silent' };

/** @param key digits of a proxy, or an account number */
export function paceOf(key: string): Pace {
  return paces[key.slice(-4)] ?? 'prompt';
}

/**
 * Returns the reason code of the refusal; undefined if the proxy or account is known. A key without digits is
 * unknown.
 */
export function reasonOf(key: string): string | undefined {
  return key === '' ? 'BE23' : reasons[key.slice(-4)];
}

/**
 * Derives the account number from a proxy. A mobile number gives its digits. An e-mail address gives 99, then
 * the last eight digits before the @, padded with zeros.
 */
export function accountNumberOf(proxyId: string): string {
  const digits = (proxyId.split('@', 1)[0] ?? '').replaceAll(/\D/g, '');
  return proxyId.includes('@') ? `99${digits.slice(-8).padStart(8, '0')}` : digits;
}

/**
 * The first four letters of the creditor agent's BIC, by the fifth digit from the right of the account
 * number. All other digits select Lotus.
 */
const agentPrefixes: Readonly<Partial<Record<string, string>>> = {
  '1': 'BANY', // onboarded, but does not support acmt.023
  '2': 'FERN', // not onboarded
  '3': 'NONE', // not in the reference data
};

/** Returns the BIC of the institution that holds the account. */
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

/**
 * Returns the owner of an account, by its last digit. The account name contains the initial and the last
 * name.
 */
export function ownerOf(
  account: AccountIdentification,
): Required<Pick<KnownAccount, 'partyName' | 'accountName'>> {
  const lastDigit = /(\d)\D*$/.exec(account.iban ?? account.otherId ?? '')?.[1] ?? '0';
  const partyName = owners[Number(lastDigit)] ?? owners[0];
  const names = partyName.split(' ');
  const accountName = `${partyName.charAt(0)}. ${names.at(-1)?.toUpperCase() ?? ''}`;
  return { partyName, accountName };
}
