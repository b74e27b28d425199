// A process that posts once to each address that it is given and says what came of it, in the order in which they
// ended, for tests of what only a process of its own can have: the certificates that it trusts (NODE_EXTRA_CA_CERTS),
// and an end.
import { createOutbound } from '../../../activities/wire/outbound.ts';

const http = createOutbound({ allowLoopback: true, logins: new Map() });
const results: string[] = [];
await Promise.all(
  process.argv.slice(2).map(async (url) => {
    const place = http.enter(url);
    if (!place.admitted) throw new Error('the first send of a process is admitted');
    const result = await place.post(url, Buffer.from('<Document/>'), { 'content-type': 'application/xml' });
    const { outcome } = result;
    results.push(`${outcome} ${outcome === 'ANSWERED' ? result.status : result.errorClass}`);
  }),
);
process.stdout.write(results.join('\n'));
await http.close();
