// The connections of outbound.ts to receivers: one for each request, and for nothing else. What comes back on it
// cannot be about another request, none is taken that its receiver has just given up, and none is left behind
// (docs/decisions.md). Node's own client reads what comes, interim answers (1xx) included, as RFC 9110 asks of every
// client.
import { type ClientRequest, request } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Connector } from './connect-checked.ts';

/** A POST on a connection of its own. */
export interface Posting {
  /** Its head is not written before its body is given, once it has its socket. */
  readonly client: ClientRequest;
  /** Nobody waits for it any more: what is connecting, or connected, is closed. */
  readonly abandon: () => void;
}

export interface Connections {
  post(url: URL, headers: Readonly<Record<string, string>>): Posting;
}

export function openConnections(connector: Connector): Connections {
  return {
    post: ({ protocol, hostname, port, pathname, search }, headers) => {
      const defaultPort = protocol === 'https:' ? 443 : 80;
      const host = hostname.replace(/^\[|\]$/g, '');
      const target = { protocol, hostname: host, port: port === '' ? String(defaultPort) : port };
      let cancel: (() => void) | undefined;
      const client = request({
        createConnection: (_, callback) => {
          cancel = connector.connect(target, (...[error, socket]) => {
            callback(error, socket as Duplex); // without a socket, the error alone is read
          });
          return undefined;
        },
        hostname: host,
        port: target.port,
        defaultPort, // left out of `Host`
        path: pathname + search,
        method: 'POST',
        headers,
      });
      return {
        client,
        abandon: () => {
          cancel?.();
          client.destroy();
        },
      };
    },
  };
}
