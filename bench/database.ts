// The database of a benchmark: new, migrated and seeded.
import { withClient } from '../cli/parts/postgres.ts';
import type { ThrowawayPlace } from '../cli/throwaway.ts';
import { migrate } from '../db/migrations/migrate.ts';
import { seed, type SeedAddresses } from '../db/seed.ts';

/** It is dropped at the end, because the server may outlive the benchmark. @returns its address */
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
  await migrate(url.href);
  await seed(url.href, addresses);
  return url.href;
}
