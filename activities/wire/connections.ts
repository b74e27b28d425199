// The connections of outbound.ts to receivers: a new one for each request, never reused (docs/decisions.md). So an
// answer cannot belong to another request, no send meets a connection that its receiver is just closing, and no
// connection is left open. Node's own client reads the answer, and interim answers (1xx) as well, as RFC 9110 requires.
import { type ClientRequest, request } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Connector } from './connect-checked.ts';

/** A POST on its own connection. */
export interface Posting {
  /** Node writes the headers only when the body is given; give it once the request has its socket. */
  readonly client: ClientRequest;
  /** Cancels the attempt to connect, or closes the connection. */
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
            callback(error, socket as Duplex); // on an error there is no socket, and Node reads the error alone
          });
          return undefined;
        },
        hostname: host,
        port: target.port,
        defaultPort, // Node leaves this port out of `Host`
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
