// A name server on loopback for tests: it knows some names, is silent about others, and says of the rest that they do
// not exist. It counts what it is asked.
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { afterAll } from 'vitest';

/** What it knows of a name: IPv4 addresses, with their TTL in seconds. 'silent': no answer; 'failing': SERVFAIL. */
type Entry =
  | { readonly addresses: readonly string[]; readonly ttl: number; readonly delayMs?: number }
  | 'silent'
  | 'failing';
export type Zone = Record<string, Entry>;

export interface NameServer {
  /** As `OutboundOptions.nameServers` takes it. */
  readonly address: string;
  /** Queries for IPv4 addresses of a name so far. */
  asked(name: string): number;
}

const typeA = 1;

export async function nameServer(zone: Zone): Promise<NameServer> {
  const asked = new Map<string, number>();
  const socket = createSocket('udp4');
  socket.on('message', (query, from) => {
    const { name, type, end } = questionOf(query);
    if (type === typeA) asked.set(name, (asked.get(name) ?? 0) + 1);
    const known = zone[name];
    if (known === 'silent') return;
    const records =
      typeof known === 'object' && type === typeA
        ? known.addresses.map((address) => recordOf(address, known.ttl))
        : [];
    const responseCode = known === undefined ? 3 : known === 'failing' ? 2 : 0;
    const head = Buffer.from(query.subarray(0, 12));
    head.writeUInt16BE(0x8180 | responseCode, 2);
    head.writeUInt16BE(1, 4);
    head.writeUInt16BE(records.length, 6);
    head.writeUInt32BE(0, 8);
    const response = Buffer.concat([head, query.subarray(12, end), ...records]);
    const delayMs = typeof known === 'object' ? (known.delayMs ?? 0) : 0;
    setTimeout(() => socket.send(response, from.port, from.address), delayMs).unref();
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  afterAll(() => void socket.close());
  return { address: `127.0.0.1:${socket.address().port}`, asked: (name) => asked.get(name) ?? 0 };
}

function questionOf(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

function recordOf(address: string, ttl: number): Buffer {
  const record = Buffer.alloc(16);
  record.writeUInt16BE(0xc00c, 0); // the name of the question
  record.writeUInt16BE(typeA, 2);
  record.writeUInt16BE(1, 4);
  record.writeUInt32BE(ttl, 6);
  record.writeUInt16BE(4, 10);
  Buffer.from(address.split('.').map(Number)).copy(record, 12);
  return record;
}
