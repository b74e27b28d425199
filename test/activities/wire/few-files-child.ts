// A process that has no file descriptor left, for a test: it posts to a receiver that lives, known by its address or,
// where a name server is given, by a name that has to be asked for each time.
import { closeSync, openSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { createOutbound } from '../../../activities/wire/outbound.ts';

const [url = '', nameServer] = process.argv.slice(2);
const names = nameServer === undefined ? {} : { nameServers: [nameServer], hostsFile: '/dev/null' };
const http = createOutbound({ allowLoopback: true, ...names });
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
/** Until what is known of the name is too old. */
const untilForgotten = () => (nameServer === undefined ? undefined : setTimeout(1_200));

await send();
await untilForgotten();
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
await untilForgotten();
await send();
process.stdout.write(JSON.stringify(results));
process.exit(0);
