// A process that posts once and says what came of it, for a test of what only a process of its own can have: the
// certificates that it trusts (NODE_EXTRA_CA_CERTS).
import { createOutboundHttp } from '../../activities/outbound-http.ts';

const [url = ''] = process.argv.slice(2);
const http = createOutboundHttp({ allowLoopback: true });
const place = http.enter(url);
if (!place.admitted) throw new Error('the first send of a process is admitted');
const result = await place.post(url, Buffer.from('<Document/>'), { 'content-type': 'application/xml' });
process.stdout.write(
  result.outcome === 'ANSWERED' ? `ANSWERED ${result.status}` : `${result.outcome} ${result.errorClass}`,
);
await http.close();
