// The TLS client certificate of a request, for tokens bound to one (RFC 8705, SEC-1). From the connection, never from
// headers.
import { createHash } from 'node:crypto';
import { TLSSocket } from 'node:tls';
import type { Context } from 'hono';

/** SHA-256 of the certificate in base64url; undefined over plain HTTP, or if none was presented and verified. */
export function clientCertificateThumbprint(context: Context): string | undefined {
  const env = context.env as { incoming?: { socket?: unknown } } | undefined;
  const socket = env?.incoming?.socket;
  if (!(socket instanceof TLSSocket)) return undefined;
  const certificate = socket.getPeerCertificate();
  return Object.keys(certificate).length === 0
    ? undefined
    : createHash('sha256').update(certificate.raw).digest('base64url');
}
