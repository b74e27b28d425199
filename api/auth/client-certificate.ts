// The TLS client certificate of a request, for tokens bound to one (RFC 8705): from the connection where TLS ends
// here; behind a proxy that we trust, from the header in which it says so, and from nobody else's.
import { createHash, X509Certificate } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { TLSSocket } from 'node:tls';
import type { Context } from 'hono';
import type { ApiConfig } from '../../core/settings/config.ts';
import { comesFrom, trusting } from '../http/client.ts';

/** SHA-256 of the certificate in base64url; undefined: none was presented; null: one that cannot be read, or does not count. */
export type CertificateOf = (context: Context) => string | null | undefined;

/** @param clock epoch milliseconds: a connection may stay open for longer than the certificate of its handshake lives */
export function certificatesBy(
  {
    tls,
    clientCertificateHeader: header,
    trustedProxies,
  }: Pick<ApiConfig, 'tls' | 'clientCertificateHeader' | 'trustedProxies'>,
  clock: () => number = Date.now,
): CertificateOf {
  const proxies = trusting(trustedProxies);
  return (context) => {
    const { incoming } = (context.env ?? {}) as { readonly incoming?: IncomingMessage };
    if (incoming === undefined) return undefined;
    const { socket } = incoming;
    // what a proxy itself presents to us is never its client's, whether it passes that on or not
    if (comesFrom(socket, proxies))
      return header === undefined ? undefined : thumbprintIn(incoming.headers[header]);
    if (!(socket instanceof TLSSocket)) return undefined;
    const certificate = socket.getPeerX509Certificate(); // undefined too where the client has left
    if (certificate === undefined) return undefined;
    const counts = tls?.clientCa === undefined || (socket.authorized && lives(certificate, clock()));
    return counts ? thumbprint(certificate.raw) : null;
  };
}

const lives = ({ validFrom, validTo }: X509Certificate, nowMs: number) =>
  Date.parse(validFrom) <= nowMs && nowMs <= Date.parse(validTo);

const thumbprint = (der: Uint8Array) => createHash('sha256').update(der).digest('base64url');

const structured = /^:([A-Za-z0-9+/]+={0,2}):$/; // RFC 9440: DER as a byte sequence of RFC 8941

/** One certificate as nginx writes it, its line ends encoded; a header that came twice has a comma, and neither counts. */
const escapedPem =
  /^-----BEGIN(?:%20| )CERTIFICATE-----[A-Za-z0-9+/=%]+-----END(?:%20| )CERTIFICATE-----(?:%0[AD])*$/i;

function thumbprintIn(value: string | string[] | undefined): string | null | undefined {
  if (value === undefined || value === '') return undefined;
  if (typeof value !== 'string') return null;
  const der = structured.exec(value)?.[1];
  if (der === undefined && !escapedPem.test(value)) return null;
  try {
    const certificate = der === undefined ? decodeURIComponent(value) : Buffer.from(der, 'base64');
    return thumbprint(new X509Certificate(certificate).raw);
  } catch {
    return null; // no certificate
  }
}
