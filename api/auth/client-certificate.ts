// The TLS client certificate of a request, for tokens bound to a certificate (RFC 8705). It comes from the connection
// if TLS ends here. Behind a trusted proxy it comes from the proxy's header; other senders' headers are ignored.
import { createHash, X509Certificate } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { TLSSocket } from 'node:tls';
import type { Context } from 'hono';
import type { ApiConfig } from '../../core/settings/config.ts';
import { comesFrom, trusting } from '../http/client.ts';

/**
 * SHA-256 of the certificate in base64url. Undefined: no certificate was presented. Null: it cannot be read or is not
 * valid.
 */
export type CertificateOf = (context: Context) => string | null | undefined;

/** @param clock epoch milliseconds; a connection may stay open after the certificate of its handshake has expired */
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
    // a proxy's own certificate is never that of its client, whether the proxy forwards one or not
    if (comesFrom(socket, proxies))
      return header === undefined ? undefined : thumbprintIn(incoming.headers[header]);
    if (!(socket instanceof TLSSocket)) return undefined;
    const certificate = socket.getPeerX509Certificate(); // also undefined if the client has disconnected
    if (certificate === undefined) return undefined;
    const counts = tls?.clientCa === undefined || (socket.authorized && lives(certificate, clock()));
    return counts ? thumbprint(certificate.raw) : null;
  };
}

const lives = ({ validFrom, validTo }: X509Certificate, nowMs: number) =>
  Date.parse(validFrom) <= nowMs && nowMs <= Date.parse(validTo);

const thumbprint = (der: Uint8Array) => createHash('sha256').update(der).digest('base64url');

const structured = /^:([A-Za-z0-9+/]+={0,2}):$/; // RFC 9440: DER as a byte sequence of RFC 8941

/**
 * One certificate as nginx writes it, with encoded line ends. A header that was sent twice contains a comma and matches
 * neither form.
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
    return null; // not a certificate
  }
}
