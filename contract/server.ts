// How the api and the worker reach the Temporal server: in plain text, by TLS, by TLS with a certificate of ours, or with an
// API key, as its cloud asks for.
import type { TemporalConfig } from '../core/settings/config.ts';

/** As both of the SDK's connections take it. */
export interface TemporalServer<Bytes> {
  readonly address: string;
  readonly tls?: {
    readonly serverRootCACertificate?: Bytes;
    readonly clientCertPair?: { readonly crt: Bytes; readonly key: Bytes };
    readonly serverNameOverride?: string;
  };
  readonly apiKey?: string;
}

/** @param bytesOf `Buffer.from`: this folder knows no platform */
export function temporalServer<Bytes>(
  { address, tls, apiKey }: Omit<TemporalConfig, 'namespace'>,
  bytesOf: (pem: string) => Bytes,
): TemporalServer<Bytes> {
  return {
    address,
    ...(tls && {
      tls: {
        ...(tls.ca !== undefined && { serverRootCACertificate: bytesOf(tls.ca) }),
        ...(tls.client && {
          clientCertPair: { crt: bytesOf(tls.client.cert), key: bytesOf(tls.client.key) },
        }),
        ...(tls.serverName !== undefined && { serverNameOverride: tls.serverName }),
      },
    }),
    ...(apiKey !== undefined && { apiKey }),
  };
}
