// The connections of outbound-http.ts to receivers: each carries one request at a time, and is kept open for the next.
// What comes on one while it waits is the answer to nothing, and closes it (RFC 9112, section 9.2).
// Node's own client reads what comes back, interim answers (1xx) included, as RFC 9110 asks of every client.
import { Agent, type ClientRequest, type IncomingMessage, type RequestOptions, request } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Connector } from './connect-checked.ts';

// An idle connection is used again for this long. Servers commonly close theirs after 5 s or more, and one that says so
// in `Keep-Alive` is believed, less 2 s: a request that meets a close on its way is MAYBE_SENT, so it has to be rare.
const keptMs = 4_000;
const longestKeptMs = 30_000; // below the idle limits of common firewalls
const announcedMarginMs = 2_000;

/** Milliseconds for which a connection is kept after this answer; 0: not at all. */
function keptAfter({ headers }: IncomingMessage): number {
  const [, seconds] = /(?:^|[\s,])timeout=(\d{1,6})/i.exec(String(headers['keep-alive'])) ?? [];
  if (seconds === undefined) return keptMs;
  return Math.min(longestKeptMs, Math.max(0, Number(seconds) * 1_000 - announcedMarginMs));
}

/** Its agent forgets it at once, not only when it has closed; of what is kept it forgets only what is destroyed. */
function drop(this: Duplex): void {
  this.destroy();
  this.emit('agentRemove');
}

class KeptConnections extends Agent {
  readonly protocol: string;
  readonly #connector: Connector;
  readonly #keptMs = new WeakMap<Duplex, number>();

  constructor(protocol: 'http:' | 'https:', connector: Connector) {
    super({ keepAlive: true });
    this.protocol = protocol;
    this.#connector = connector;
  }

  override createConnection(
    { host, port }: RequestOptions,
    callback?: (error: Error | null, stream: Duplex) => void,
  ): undefined {
    const target = { protocol: this.protocol, hostname: host ?? '', port: String(port) };
    this.#connector.connect(target, (...[error, socket]) => {
      callback?.(error, socket as Duplex); // without a socket, the error alone is read
    });
  }

  override keepSocketAlive(socket: Duplex): boolean {
    if (!(socket instanceof Socket)) return false;
    const ms = this.#keptMs.get(socket) ?? keptMs;
    socket.setKeepAlive(true);
    socket.unref();
    socket.setTimeout(ms);
    socket.on('data', drop);
    socket.on('end', drop);
    return ms > 0;
  }

  override reuseSocket(socket: Duplex, client: ClientRequest): void {
    socket.off('data', drop);
    socket.off('end', drop);
    super.reuseSocket(socket, client);
  }

  heed(answer: IncomingMessage): void {
    this.#keptMs.set(answer.socket, keptAfter(answer));
  }
}

export interface Connections {
  /**
   * A POST whose head is not written before its body is given: by `end`, once it has its socket. It takes a kept one that
   * was sound when the process last read what had come, so that is to be done in the same turn (exchange.ts).
   */
  post(url: URL, headers: Readonly<Record<string, string>>): ClientRequest;
  close(): void;
}

export function keepConnections(connector: Connector): Connections {
  const agents = {
    'http:': new KeptConnections('http:', connector),
    'https:': new KeptConnections('https:', connector),
  };
  return {
    post: ({ protocol, hostname, port, pathname, search }, headers) => {
      const [agent, defaultPort] = protocol === 'https:' ? [agents['https:'], 443] : [agents['http:'], 80];
      const client = request({
        agent,
        protocol,
        hostname: hostname.replace(/^\[|\]$/g, ''),
        port: port === '' ? defaultPort : port,
        defaultPort, // left out of `Host`
        path: pathname + search,
        method: 'POST',
        headers,
      });
      return client.once('response', (answer) => agent.heed(answer));
    },
    close: () => {
      for (const agent of Object.values(agents)) agent.destroy();
    },
  };
}
