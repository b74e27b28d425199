// The TLS client certificate of a request, for tokens bound to a certificate (RFC 8705). It comes from the
// connection if this server terminates TLS. Behind a trusted proxy it comes from the proxy's header. The
// headers of other senders are ignored.
import { createHash, X509Certificate } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { TLSSocket } from 'node:tls';
import type { Context } from 'hono';
import type { ApiConfig } from '../../core/settings/config.ts';
import { comesFrom, trusting } from '../http/client.ts';

/**
 * Returns the SHA-256 of the certificate in base64url. Undefined: the client presented no certificate. Null:
 * the certificate cannot be read or is not valid.
 */
export type CertificateOf = (context: Context) => string | null | undefined;

/**
 * @param clock epoch milliseconds; a connection may stay open after the certificate of its handshake has
 * expired
 */
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
    // never use the certificate of a proxy, because it is not the client's, even if the proxy forwards none
    if (comesFrom(socket, proxies))
      return header === undefined ? undefined : thumbprintIn(incoming.headers[header]);
    if (!(socket instanceof TLSSocket)) return undefined;
    // undefined if the client presented none, or has disconnected
    const certificate = socket.getPeerX509Certificate();
    if (certificate === undefined) return undefined;
    const counts = tls?.clientCa === undefined || (socket.authorized && lives(certificate, clock()));
    return counts ? thumbprint(certificate.raw) : null;
  };
}

const lives = ({ validFrom, validTo }: X509Certificate, nowMs: number) =>
  Date.parse(validFrom) <= nowMs && nowMs <= Date.parse(validTo);

const thumbprint = (der: Uint8Array) => createHash('sha256').update(der).digest('base64url');

const structured = /^:([A-Za-z0-9+/]+={0,2}):$/; // RFC 9440: DER as a byte sequence (RFC 8941)

/**
 * Matches one certificate as nginx writes it, with encoded line ends. A header that was sent twice contains a
 * comma and matches neither form.
 */
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
    return null; // the value is not a certificate
  }
}
