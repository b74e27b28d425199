/** The demo's rows, expanded once per test file, and what several of those files ask of them. */
import { expect } from 'vitest';
import { expandSeed, type SeedRate } from '../../db/seed/expand.ts';
import { readSeedFiles } from '../../db/seed/files.ts';

export const rows = expandSeed(readSeedFiles(), {
  operatorEndpointUrl: (operatorId) => `http://127.0.0.1:9000/${operatorId}`,
  fxpBaseUrl: (bic) => `http://127.0.0.1:9001/${bic}`,
});

export const corridorOf = (row: Omit<SeedRate, 'fxp_id' | 'exchange_rate' | 'threshold'>): string =>
  [row.source_country, row.source_currency, row.destination_country, row.destination_currency].join(' ');

export const places = rows.country_clearing_systems.map(
  ({ country_code: country, clearing_system_id: id }) => ({
    country,
    currency: rows.clearing_systems.find((system) => system.clearing_system_id === id)!.currency_code,
  }),
);

/** Every ordered pair of different currencies in different countries, counted here for itself. */
export const allCorridors = places.flatMap((source) =>
  places
    .filter((other) => other.country !== source.country && other.currency !== source.currency)
    .map((other) => `${source.country} ${source.currency} ${other.country} ${other.currency}`),
);

/** Fails with the keys that occur twice. */
export function expectUnique(keys: readonly string[]): void {
  expect(keys.filter((key, index) => keys.indexOf(key) !== index)).toEqual([]);
}
