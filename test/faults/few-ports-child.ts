// A process on a machine with 16 ports for its connections, for a test: it sends until there is none left.
import { once } from 'node:events';
import { createServer } from 'node:net';
import { createOutboundHttp } from '../../activities/outbound-http.ts';

const host = '8.8.8.8'; // of this network namespace alone: of loopback, the system gives a port again after 1 s
const server = createServer((socket) => {
  socket.on('error', () => socket.destroy());
  // answers, and leaves it to the client to close
  socket.once('data', () => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'));
});
server.listen(8080, host);
await once(server, 'listening');
const url = `http://${host}:8080`;
const http = createOutboundHttp({ allowLoopback: false });
const results: string[] = [];
for (let count = 0; count < 30; count += 1) {
  const place = http.enter(url);
  if (!place.admitted) {
    results.push(place.reason);
    continue;
  }
  const result = await place.post(url, Buffer.from('<Document/>'), {});
  results.push(result.outcome === 'ANSWERED' ? result.outcome : `${result.outcome} ${result.errorClass}`);
}
process.stdout.write(JSON.stringify(results));
process.exit(0);
