// How the api and the worker reach the Temporal server: in plain text, by TLS, by TLS with a certificate of ours, or with an
// API key, as its cloud asks for.
import type { TemporalConfig } from '../core/config.ts';

/** As both of the SDK's connections take it. */
export interface TemporalServer {
  readonly address: string;
  readonly tls?: {
    readonly serverRootCACertificate?: Buffer;
    readonly clientCertPair?: { readonly crt: Buffer; readonly key: Buffer };
    readonly serverNameOverride?: string;
  };
  readonly apiKey?: string;
}

export function temporalServer({ address, tls, apiKey }: Omit<TemporalConfig, 'namespace'>): TemporalServer {
  return {
    address,
    ...(tls && {
      tls: {
        ...(tls.ca !== undefined && { serverRootCACertificate: Buffer.from(tls.ca) }),
        ...(tls.client && {
          clientCertPair: { crt: Buffer.from(tls.client.cert), key: Buffer.from(tls.client.key) },
        }),
        ...(tls.serverName !== undefined && { serverNameOverride: tls.serverName }),
      },
    }),
    ...(apiKey !== undefined && { apiKey }),
  };
}
