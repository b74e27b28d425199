// Creates the database of a benchmark, migrates it and loads the seed data.
import { withClient } from '../cli/parts/postgres.ts';
import type { ThrowawayPlace } from '../cli/throwaway.ts';
import { migrate } from '../db/migrations/migrate.ts';
import { seed, type SeedAddresses } from '../db/seed.ts';

/**
 * Creates the database. It is dropped at the end of the benchmark, because the server may be an external one.
 * @returns the URL of the database
 */
export async function prepareDatabase(
  serverUrl: string,
  {
    database,
    place,
    addresses,
  }: { readonly database: string; readonly place: ThrowawayPlace; readonly addresses?: SeedAddresses },
): Promise<string> {
  const drop = `drop database if exists ${database} with (force)`;
  place.atEnd(() => withClient(serverUrl, (client) => client.query(drop)));
  await withClient(serverUrl, async (client) => {
    await client.query(drop);
    await client.query(`create database ${database}`);
  });
  const url = new URL(serverUrl);
  url.pathname = `/${database}`;
  return useDatabase(url.href, addresses);
}

/** Migrates and seeds a database that is there, and is kept. */
export async function useDatabase(url: string, addresses?: SeedAddresses): Promise<string> {
  await migrate(url);
  await seed(url, addresses);
  return url;
}
