// How the api and the worker connect to the Temporal server: in plain text, by TLS, by TLS with a client certificate,
// or with an API key (Temporal Cloud).
import type { TemporalConfig } from '../core/settings/config.ts';

/** Connection options in the form that both of the SDK's connections accept. */
export interface TemporalServer<Bytes> {
  readonly address: string;
  readonly tls?: {
    readonly serverRootCACertificate?: Bytes;
    readonly clientCertPair?: { readonly crt: Bytes; readonly key: Bytes };
    readonly serverNameOverride?: string;
  };
  readonly apiKey?: string;
}

/** @param bytesOf `Buffer.from`; it is a parameter because this folder may not use Node */
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
