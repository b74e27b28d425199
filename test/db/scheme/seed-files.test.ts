/** The demo's countries, fees, institutions and accounts against the figures that the seed data promise. */

import { describe, expect, it } from 'vitest';
import { canonicalId, isBic } from '../../../core/ids.ts';
import { holdsCheckDigits } from '../../core/payments/lei.ts';
import { fitsDecimalPlaces } from '../../../core/money/money.ts';
import { allCorridors, corridorOf, expectUnique, places, rows } from './seed-rows.ts';

describe('countries, currencies and payment systems', () => {
  it.each([
    ['SG', 702, 'SGDFAST', 'SGD', 2, '200000', 20, 'purposeCode'],
    ['MY', 458, 'MYRRPP', 'MYR', 2, '10000000.00', 20, 'purposeCode'],
    ['TH', 764, 'THBPPAY', 'THB', 2, '2000000', 20, 'categoryPurposeCode'],
    ['PH', 608, 'PHPINST', 'PHP', 2, '50000', 20, 'categoryPurposeCode'],
    ['IN', 356, 'INRUPI', 'INR', 2, '100000', 20, 'purposeCode'],
    ['ID', 360, 'IDRBFAST', 'IDR', 0, '15000000', 25, 'categoryPurposeCode'],
    ['HK', 344, 'HKDFPS', 'HKD', 2, '10000', 20, 'purposeCode'],
    ['HK', 344, 'CNYFPS', 'CNY', 2, '20000', 20, 'purposeCode'],
    ['DE', 276, 'EURTIPS', 'EUR', 2, '100000', 10, undefined],
    ['FR', 250, 'EURTIPS', 'EUR', 2, '100000', 10, undefined],
    ['JP', 392, 'JPYZGIN', 'JPY', 0, '1000000', 20, 'purposeCode'],
  ])(
    '%s %i: %s in %s',
    (countryCode, countryId, systemId, currencyCode, decimals, maximum, seconds, required) => {
      expect(rows.countries.find((country) => country.country_code === countryCode)).toMatchObject({
        country_id: countryId,
        required_pacs008_elements: required === undefined ? [] : [required],
      });
      expect(rows.currencies.find((currency) => currency.currency_code === currencyCode)).toMatchObject({
        decimal_places: decimals,
      });
      expect(rows.clearing_systems.find((system) => system.clearing_system_id === systemId)).toMatchObject({
        currency_code: currencyCode,
        max_amount: maximum,
        max_execution_seconds: seconds,
      });
      expect(rows.country_clearing_systems).toContainEqual({
        country_code: countryCode,
        clearing_system_id: systemId,
      });
    },
  );

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

  it('one operator per country, one for all systems of it, one for Germany and France; loopback callbacks each', () => {
    expect(rows.operators).toHaveLength(9);
    const operatorsOf = (country: string): Set<string> =>
      new Set(
        rows.country_clearing_systems
          .filter((row) => row.country_code === country)
          .map((row) => rows.clearing_systems.find((s) => s.clearing_system_id === row.clearing_system_id)!)
          .map((system) => system.operator_id),
      );
    for (const { country_code: country } of rows.countries) expect(operatorsOf(country).size).toBe(1);
    expect(operatorsOf('DE')).toEqual(operatorsOf('FR'));
    for (const { operator_id: operatorId } of rows.operators) {
      const own = rows.operator_callback_origins.filter((row) => row.operator_id === operatorId);
      expect(own.map((row) => row.origin)).toEqual(['http://127.0.0.1:*', 'http://localhost:*']);
    }
  });
});

describe('fees', () => {
  it.each([
    ['SG', 'SGD', '0.50', '0.001', '0.50', '0.1'],
    ['MY', 'MYR', '1.50', '0.001', '2.22', '0.1'],
    ['TH', 'THB', '10.00', '0.001', '75.00', '0.1'],
    ['PH', 'PHP', '20.00', '0.001', '30.00', '0.1'],
    ['IN', 'INR', '30.00', '0.001', '40.00', '0.1'],
    ['ID', 'IDR', '5000', '0.001', '6500', '0.1'],
    ['HK', 'HKD', '3.00', '0.001', '4.00', '0.1'],
    ['HK', 'CNY', '3.00', '0.001', '4.00', '0.1'],
    ['DE', 'EUR', '0.30', '0.0005', '0.50', '0.05'],
    ['FR', 'EUR', '0.30', '0.0005', '0.50', '0.05'],
    ['JP', 'JPY', '50', '0.001', '100', '0.1'],
  ])('%s %s: %s + %s, %s + %s %%', (country, currency, schemeNominal, ratio, creditorNominal, percent) => {
    const key = { country_code: country, currency_code: currency };
    expect(rows.scheme_fee_formulas).toContainEqual({
      ...key,
      nominal_fee_amount: schemeNominal,
      percentage_fee_as_ratio: ratio,
    });
    expect(rows.creditor_agent_fee_formulas).toContainEqual({
      ...key,
      nominal_fee_amount: creditorNominal,
      percentage_fee: percent,
    });
  });

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
  const institution = (id: string) => rows.institutions.find((one) => one.institution_id === id);
  const identifiersOf = (id: string, type: string): string[] =>
    rows.institution_identifiers
      .filter((row) => row.institution_id === id && row.identifier_type === type)
      .sort((a, b) => a.position - b.position)
      .map((row) => row.value);
  const rolesOf = (id: string): string[] =>
    rows.institution_roles.filter((row) => row.institution_id === id).map((row) => row.role);

  it('four in each of ten countries and four FX providers, under ids of their own', () => {
    expect(rows.institutions).toHaveLength(44);
    expectUnique(rows.institutions.map((one) => one.institution_id));
    expectUnique(rows.institution_identifiers.map((row) => `${row.identifier_type} ${row.lookup_value}`));
    expect(rows.institutions.filter((one) => rolesOf(one.institution_id).includes('fxp'))).toHaveLength(4);
  });

  it.each([
    ['SG-LOTU', 'Lotus Bank Singapore', ['psp'], true, true],
    ['SG-BANY', 'Banyan Bank Singapore', ['psp'], true, false],
    ['HK-FERN', 'Fern Credit Union Hong Kong', ['psp'], false, false],
    ['TH-HARB', 'Harbour Settlement Thailand', ['sap'], true, false],
    ['JP-HARB', 'Harbour Settlement Japan', ['psp', 'sap'], true, false],
    ['SG-MERI', 'Meridian FX', ['fxp'], true, false],
  ])('%s is %s', (id, name, roles, onboarded, supportsAcmt023) => {
    expect(institution(id)).toEqual({
      institution_id: id,
      name,
      country_code: id.slice(0, 2),
      onboarded,
      supports_acmt023: supportsAcmt023,
      ended_at: null,
    });
    expect(rolesOf(id)).toEqual(roles);
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

  it('BICs have the form of test BICs and the country of their institution; Lotus in DE has a branch too', () => {
    const bics = rows.institution_identifiers.filter((row) => row.identifier_type === 'BICFI');
    for (const { institution_id: id, value, lookup_value: lookup } of bics) {
      expect(isBic(value)).toBe(true);
      expect(canonicalId('BICFI', value)).toBe(lookup);
      expect([value.slice(4, 6), value.charAt(7)]).toEqual([id.slice(0, 2), '0']);
    }
    expect(identifiersOf('DE-LOTU', 'BICFI')).toEqual(['LOTUDES0', 'LOTUDES0BER']);
    expect(identifiersOf('HK-ZENI', 'BICFI')).toEqual(['ZENIHKS0']);
    expect(bics).toHaveLength(44); // 44 institutions, one without, one with two
  });

  it('Fern Credit Union in MY has no BIC but an id of its own kind', () => {
    expect(identifiersOf('MY-FERN', 'BICFI')).toEqual([]);
    expect(identifiersOf('MY-FERN', 'otherId')).toEqual(['MYFERN001']);
  });

  it('every PSP and SAP is a member of all systems of its country under its member id, FX providers of none', () => {
    const membershipsOf = (id: string): Record<string, string> =>
      Object.fromEntries(
        rows.institution_memberships
          .filter((row) => row.institution_id === id)
          .map((row) => [row.clearing_system_id, row.member_id]),
      );
    expect(membershipsOf('HK-LOTU')).toEqual({ HKDFPS: 'LOTUHK01', CNYFPS: 'LOTUHK01' });
    expect(membershipsOf('FR-HARB')).toEqual({ EURTIPS: 'HARBFR01' });
    expect(membershipsOf('MY-FERN')).toEqual({ MYRRPP: 'FERNMY01' });
    expect(membershipsOf('SG-MERI')).toEqual({});
    expect(rows.institution_memberships).toHaveLength(44); // 4 in each of 9 countries, 8 in Hong Kong
    expectUnique(rows.institution_memberships.map((row) => `${row.clearing_system_id} ${row.member_id}`));
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

  it('everybody is set up for every corridor, but Zenith for IN to ID', () => {
    expect(allCorridors).toHaveLength(106); // 11 x 10, less HKD and CNY (2) and EUR to EUR (2)
    expect(rows.fxp_corridors).toHaveLength(4 * 106 - 1);
    const zenith = rows.fxp_corridors.filter((row) => row.fxp_id === 'HK-ZENI').map(corridorOf);
    expect(allCorridors.filter((corridor) => !zenith.includes(corridor))).toEqual(['IN INR ID IDR']);
    expect(rows.fxp_endpoints).toContainEqual({
      fxp_id: 'SG-MERI',
      notification_url: 'http://127.0.0.1:9001/MERISGS0/iso20022/fxtr017',
    });
  });
});
