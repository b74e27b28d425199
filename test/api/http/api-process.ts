// An API in a process of its own, for tests of two: prints its address, ends with its standard input.
import { startApi } from './running-api.ts';

const [databaseUrl] = process.argv.slice(2);
if (databaseUrl === undefined) throw new Error('started by a test with a database');
const api = await startApi(databaseUrl);
process.stdout.write(`${JSON.stringify({ url: api.url, token: await api.token('LOTUSGS0') })}\n`);
process.stdin.resume().once('end', () => {
  void api.close();
});
