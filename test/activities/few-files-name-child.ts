// A process that has no file descriptor left, for a test: it posts to a receiver that lives and is known by name.
import { closeSync, openSync } from 'node:fs';
import { createOutboundHttp } from '../../activities/outbound-http.ts';

const [url = '', nameServer = '', hostsFile = ''] = process.argv.slice(2);
const http = createOutboundHttp({ allowLoopback: true, nameServers: [nameServer], hostsFile });
const results: string[] = [];
async function send(): Promise<void> {
  const place = http.enter(url);
  if (!place.admitted) {
    results.push(place.reason);
    return;
  }
  const result = await place.post(url, Buffer.from('<Document/>'), {});
  results.push(result.outcome === 'ANSWERED' ? result.outcome : `${result.outcome} ${result.errorClass}`);
}
await send();
await new Promise((done) => setTimeout(done, 1_200)); // what is known of the name is too old by then
const files: number[] = [];
for (let isLeft = true; isLeft;) {
  try {
    files.push(openSync('/dev/null', 'r'));
  } catch {
    isLeft = false;
  }
}
for (let count = 0; count < 8; count += 1) await send();
files.forEach((file) => closeSync(file));
await new Promise((done) => setTimeout(done, 1_200));
await send();
process.stdout.write(JSON.stringify(results));
process.exit(0);
