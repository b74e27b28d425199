// Options of `npm run pay`: each is understood, or refused with what to type instead.
import { describe, expect, it } from 'vitest';
import { UsageError } from '../../cli/errors.ts';
import { meaningOf, planOf, type PayOptions } from '../../cli/demo/pay.ts';
import { addressesWith, parseReplacements } from '../../cli/demo/replacements.ts';

const typed: PayOptions = {
  from: 'SG',
  to: 'MY',
  amount: '250',
  account: '...0003',
  priority: 'NORM',
  wait: '60',
};

describe('what npm run pay says of the money', () => {
  const rejected = (reasonCode: string) => ({ status: 'RJCT', reasonCode });
  const atDeadline = { ...rejected('AB03'), ruleId: 'TIM-1' };
  const moved = {
    sequence: 1,
    at: '2026-01-05T04:00:00.000Z',
    party: 'destination/IPSO-MY',
    direction: 'booked',
    kind: 'ledger',
    status: 'moved',
  } as const;

  const arrived = { ...moved, direction: 'received', kind: 'pacs008', status: '' } as const;

  it('a rejection at the deadline: never that no money moved, for the destination may have credited (TIM-1)', () => {
    const mayBeCredited = 'Rejected; if the destination has credited it, it must return it';
    expect(meaningOf(atDeadline, [arrived])).toBe(mayBeCredited);
    expect(meaningOf(atDeadline, [], false), 'a destination that writes no journal').toBe(mayBeCredited);
    expect(meaningOf(atDeadline, [])).toBe('Rejected; it had never reached its destination');
    expect(meaningOf(rejected('AC04'), [])).toBe('Rejected, no money moved');
    expect(meaningOf(rejected('AB03'), []), 'of the destination’s own').toBe('Rejected, no money moved');
    expect(meaningOf({ ...rejected('AB03'), ruleId: 'TIM-4' }, [])).toBe('Rejected, no money moved');
  });

  it('a rejection at the deadline: what the ledger of the sandbox shows', () => {
    expect(meaningOf(atDeadline, [moved])).toBe(
      'Rejected, but the amount that was credited has not been returned yet',
    );
    expect(meaningOf(atDeadline, [moved, { ...moved, status: 'reversed' }])).toBe(
      'Rejected, and the amount that had been credited was returned',
    );
  });
});

describe('npm run pay', () => {
  it('takes the Lotus banks of both countries unless others are named', () => {
    expect(planOf(typed)).toEqual({
      sourceCountry: 'SG',
      destinationCountry: 'MY',
      amount: '250',
      creditorAccount: { otherId: '6600000003' },
      priority: 'NORM',
      debtorAgent: 'LOTUSGS0',
      creditorAgent: 'LOTUMYS0',
      acceptsCapped: false,
      waitSeconds: 60,
    });
    const named = planOf({ ...typed, psp: 'BANYSGS0', creditorPsp: 'FERNTHS0', to: 'th', currency: 'thb' });
    expect(named).toMatchObject({
      debtorAgent: 'BANYSGS0',
      creditorAgent: 'FERNTHS0',
      destinationCountry: 'TH',
      amountCurrency: 'THB',
    });
  });

  it.each([
    ['...0003', { otherId: '6600000003' }],
    ['1234567890003', { otherId: '1234567890003' }],
    ['DE13370400440532010003', { iban: 'DE13370400440532010003' }],
  ])('reads the account %s', (account, expected) => {
    expect(planOf({ ...typed, account }).creditorAccount).toEqual(expected);
  });

  it.each([
    [{ to: 'XX' }, '--to XX: the demo has DE, FR, HK'],
    [{ amount: '1,000' }, '--amount 1,000: write it in plain digits'],
    [{ account: 'my account' }, 'or its last four digits'],
    [{ priority: 'URGENT' }, 'HIGH or NORM'],
    [{ wait: 'long' }, 'seconds'],
    [{ psp: 'NOPESGS0' }, '--psp NOPESGS0: the PSPs of SG in the demo are BANYSGS0, LOTUSGS0'],
  ])('refuses %j with a sentence, as a mistake of whoever typed it', (change, said) => {
    const planned = () => planOf({ ...typed, ...change });
    expect(planned).toThrow(said);
    expect(planned).toThrow(UsageError);
  });
});

describe('--destination and --fxp', () => {
  const sandbox = { destination: 'http://127.0.0.1:9102', fxProvider: 'http://127.0.0.1:9103' };

  it('put an address in the place of a party, Germany and France together, and leave the others', () => {
    const replaced = parseReplacements(
      ['MY=http://127.0.0.1:9000/', 'FR=https://ips.example.org/in'],
      ['MERISGS0=http://localhost:9001'],
    );
    const addresses = addressesWith(replaced, sandbox);
    expect(addresses.operatorEndpointUrl('IPSO-MY')).toBe('http://127.0.0.1:9000');
    expect(addresses.operatorEndpointUrl('IPSO-EU')).toBe('https://ips.example.org/in');
    expect(addresses.operatorEndpointUrl('IPSO-TH')).toBe('http://127.0.0.1:9102/IPSO-TH');
    expect(addresses.fxpBaseUrl('MERISGS0')).toBe('http://localhost:9001');
    expect(addresses.fxpBaseUrl('POLAJPS0')).toBe('http://127.0.0.1:9103/POLAJPS0');
  });

  it.each([
    [['MY'], [], '--destination MY: name one of DE'],
    [['MY=http://192.168.1.5:9000'], [], 'http on loopback or https'],
    [[], ['LOTUSGS0=http://127.0.0.1:9001'], 'name one of ORBIDES0'],
  ])('refuse %j %j with a sentence', (destinations, fxps, said) => {
    expect(() => parseReplacements(destinations, fxps)).toThrow(said);
  });
});
