// An API in a process of its own, with the limits of the service, for tests of two and of a database that is away: prints
// its address, ends with its standard input.
import { serviceLimits } from '../../../db/pool/connection.ts';
import { referenceLimits } from '../../../db/scheme/reference-cache.ts';
import { startApi } from './running-api.ts';

const [databaseUrl] = process.argv.slice(2);
if (databaseUrl === undefined) throw new Error('started by a test with a database');
const api = await startApi(databaseUrl, { databaseLimits: serviceLimits, referenceLimits });
process.stdout.write(`${JSON.stringify({ url: api.url, token: await api.token('LOTUSGS0') })}\n`);
process.stdin.resume().once('end', () => {
  void api.close();
});
