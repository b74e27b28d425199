// The demo's countries, fees, institutions and accounts are consistent.
import { describe, expect, it } from 'vitest';
import { holdsCheckDigits } from '../../core/payments/lei.ts';
import { fitsDecimalPlaces } from '../../../core/money/money.ts';
import { expectUnique, places, rows } from './seed-rows.ts';

describe('countries, currencies and payment systems', () => {
  it('ten countries, ten currencies and ten systems; Hong Kong has two, Germany and France share one', () => {
    expect(rows.countries).toHaveLength(10);
    expect(rows.currencies).toHaveLength(10);
    expect(rows.clearing_systems).toHaveLength(10);
    expect(rows.country_clearing_systems).toHaveLength(11);
    expectUnique(rows.countries.map((country) => country.country_code));
    expectUnique(rows.countries.map((country) => String(country.country_id)));
    expectUnique(rows.currencies.map((currency) => String(currency.currency_id)));
    expectUnique(rows.clearing_systems.map((system) => system.clearing_system_id));
  });
});

describe('fees', () => {
  it('one formula of each kind per country and currency, in decimals that the currency has (MON-2)', () => {
    const keys = places.map((place) => `${place.country} ${place.currency}`).sort();
    for (const formulas of [rows.scheme_fee_formulas, rows.creditor_agent_fee_formulas]) {
      expect(formulas.map((one) => `${one.country_code} ${one.currency_code}`).sort()).toEqual(keys);
      for (const { currency_code: code, nominal_fee_amount: nominal } of formulas) {
        const { decimal_places: decimals } = rows.currencies.find((one) => one.currency_code === code)!;
        expect(fitsDecimalPlaces(nominal, decimals)).toBe(true);
      }
    }
  });
});

describe('institutions', () => {
  const rolesOf = (id: string): string[] =>
    rows.institution_roles.filter((row) => row.institution_id === id).map((row) => row.role);

  it('four in each of ten countries and four FX providers, under ids of their own', () => {
    expect(rows.institutions).toHaveLength(44);
    expectUnique(rows.institutions.map((one) => one.institution_id));
    expectUnique(rows.institution_identifiers.map((row) => `${row.identifier_type} ${row.lookup_value}`));
    expect(rows.institutions.filter((one) => rolesOf(one.institution_id).includes('fxp'))).toHaveLength(4);
  });

  it('every Lotus Bank, and nobody else, has an LEI of its BIC8 whose check digits hold (ISO 7064)', () => {
    const withLei = rows.institution_identifiers.filter((row) => row.identifier_type === 'LEI');
    expect(withLei).toHaveLength(10);
    for (const { institution_id: id, value } of withLei) {
      expect(id).toMatch(/-LOTU$/);
      expect(value.slice(0, 18)).toBe(`999900LOTU${id.slice(0, 2)}S00000`);
      expect(holdsCheckDigits(value)).toBe(true);
    }
  });

  it('SEC-1: onboarded PSPs, FX providers, systems and two people of the operator have clients; nobody else', () => {
    const ids = rows.clients.map((client) => client.client_id);
    const named = [
      'LOTUSGS0',
      'BANYJPS0',
      'HARBJPS0',
      'MERISGS0',
      'SGDFAST',
      'CNYFPS',
      'EURTIPS',
      'operator',
      'operator2',
    ];
    expect(ids).toEqual(expect.arrayContaining(named));
    expect(ids).toHaveLength(10 + 10 + 1 + 4 + 10 + 2);
    expectUnique(ids);
    for (const absent of ['FERNSGS0', 'HARBSGS0', 'LOTUDES0BER']) expect(ids).not.toContain(absent);
    const lotus = rows.clients.find((client) => client.client_id === 'LOTUSGS0')!;
    expect(lotus).toMatchObject({
      role: 'psp',
      institution_id: 'SG-LOTU',
      clearing_system_id: null,
      demo: true,
    });
    for (const { role, institution_id: id, clearing_system_id: system } of rows.clients) {
      expect([id !== null, system !== null]).toEqual([role === 'psp' || role === 'fxp', role === 'ipso']);
    }
  });
});

describe('settlement', () => {
  it('each FX provider has an account per country and currency, and Lotus its own in Thailand (PAY-5)', () => {
    expect(rows.settlement_accounts).toHaveLength(4 * 11 + 1);
    expectUnique(rows.settlement_accounts.map((account) => `${account.sap_id} ${account.account_id}`));
    expectUnique(rows.settlement_accounts.map((a) => `${a.owner_id} ${a.sap_id} ${a.currency_code}`));
    const account = (id: string) => rows.settlement_accounts.find((one) => one.account_id === id);
    expect(account('MERI-SG-SGD')).toMatchObject({ owner_id: 'SG-MERI', sap_id: 'SG-HARB' });
    expect(account('POLA-HK-CNY')).toMatchObject({
      owner_id: 'JP-POLA',
      sap_id: 'HK-HARB',
      currency_code: 'CNY',
    });
    expect(account('LOTU-TH-THB')).toMatchObject({
      owner_id: 'SG-LOTU',
      sap_id: 'TH-HARB',
      country_code: 'TH',
    });
  });

  it('every nomination is validated but that of Polar in PH (FX-3), at an institution that is a SAP of the country', () => {
    expect(rows.fxp_settlement_access).toHaveLength(40);
    expect(rows.fxp_settlement_access.filter((access) => !access.validated)).toEqual([
      { fxp_id: 'JP-POLA', country_code: 'PH', sap_id: 'PH-HARB', validated: false },
    ]);
    for (const { country_code: country, sap_id: sap } of rows.fxp_settlement_access) {
      expect(sap.slice(0, 2)).toBe(country);
      expect(rows.institution_roles).toContainEqual({ institution_id: sap, role: 'sap' });
    }
  });
});
