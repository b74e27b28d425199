// A process that posts one request, for a test that stops it meanwhile (SIGSTOP).
import { createOutbound } from '../../activities/wire/outbound.ts';

const [url = ''] = process.argv.slice(2);
const http = createOutbound({ allowLoopback: true, headersTimeoutMs: 500, totalTimeoutMs: 800 });
const place = http.enter(url);
if (!place.admitted) throw new Error('the first send of a process is admitted');
const result = await place.post(url, Buffer.from('<Document/>'), { 'content-type': 'application/xml' });
process.send?.(result.outcome === 'ANSWERED' ? 'ANSWERED' : `${result.outcome} ${result.errorClass}`);
await http.close();
