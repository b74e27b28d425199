/**
 * TLS that ends in the api, and certificates of clients (SEC-1): presented to us, or to a proxy of ours that says which it
 * was.
 */
export interface TlsConfig {
  /** Absent: plain HTTP, behind a proxy that ends TLS. */
  readonly tls?: ServerTls;
  /** Lower case; in it a trusted proxy says which certificate its client presented (RFC 9440). Absent: nobody is asked. */
  readonly clientCertificateHeader?: string;
}

/** PEM each. */
export interface ServerTls {
  readonly cert: string;
  readonly key: string;
  /** By which certificates of clients are judged; absent: each counts as the key that it is of (RFC 8705, 2.2). */
  readonly clientCa?: string;
}

export const tlsVariables = {
  TLS_CERT: {
    description: 'PEM of our certificate with its chain: the api ends TLS itself; empty: a proxy does',
    default: '',
  },
  TLS_KEY: { description: 'PEM of its key', default: '' },
  TLS_CLIENT_CA: {
    description:
      'PEM of the CAs of certificates that clients present (mTLS); empty: any counts, for the tokens that are bound to it alone (RFC 8705)',
    default: '',
  },
  CLIENT_CERT_HEADER: {
    description:
      'Header in which a proxy of TRUSTED_PROXIES says which certificate its client presented: in the form of RFC 9440 (Client-Cert), or as PEM with percent-encoding (nginx: $ssl_client_escaped_cert). The proxy must remove what its client wrote there',
    default: '',
  },
} as const;

type TlsVariable = keyof typeof tlsVariables;

interface Settings {
  readonly read: (name: TlsVariable) => string;
  readonly refused: (name: TlsVariable | 'PUBLIC_URL', expected: string) => Error;
  readonly isPem: (text: string) => boolean;
  /** Whether any proxy is trusted. */
  readonly hasProxies: boolean;
  /** Whether PUBLIC_URL was set to one of plain HTTP. */
  readonly isPublicPlain: boolean;
}

/** @throws what `refused` makes */
export function parseTls({ read, refused, isPem, hasProxies, isPublicPlain }: Settings): TlsConfig {
  const pem = (name: TlsVariable) => {
    const text = read(name);
    if (text !== '' && !isPem(text)) throw refused(name, 'PEM');
    return text;
  };
  const [cert, key, clientCa] = [pem('TLS_CERT'), pem('TLS_KEY'), pem('TLS_CLIENT_CA')];
  if ((cert === '') !== (key === '')) {
    throw refused(cert === '' ? 'TLS_CERT' : 'TLS_KEY', 'PEM: TLS_CERT and TLS_KEY go together');
  }
  if (cert === '' && clientCa !== '') throw refused('TLS_CLIENT_CA', 'nothing, without TLS_CERT');
  // it is the issuer of our tokens, and where receivers answer
  if (cert !== '' && isPublicPlain) throw refused('PUBLIC_URL', 'https, where the api ends TLS by TLS_CERT');
  const header = read('CLIENT_CERT_HEADER');
  if (header !== '' && !/^[A-Za-z0-9-]+$/.test(header))
    throw refused('CLIENT_CERT_HEADER', 'the name of a header');
  if (header !== '' && !hasProxies) {
    throw refused('CLIENT_CERT_HEADER', 'nothing, unless TRUSTED_PROXIES says whose word counts');
  }
  return {
    ...(cert !== '' && { tls: { cert, key, ...(clientCa !== '' && { clientCa }) } }),
    ...(header !== '' && { clientCertificateHeader: header.toLowerCase() }),
  };
}
