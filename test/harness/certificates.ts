// Certificates for a test: an authority, and what it vouches for.
import { webcrypto } from 'node:crypto';
import 'reflect-metadata'; // which x509 needs, first
import * as x509 from '@peculiar/x509';

x509.cryptoProvider.set(webcrypto as never);

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

/** PEM each. */
export interface Certified {
  readonly cert: string;
  readonly key: string;
}

export interface Authority {
  readonly ca: string;
  /**
   * @param name of a server its address, of a client anything
   * @param livesMs from now
   */
  issue(name: string, forWhat: 'server' | 'client', livesMs?: number): Promise<Certified>;
}

const lives = (livesMs = 86_400_000) => ({
  notBefore: new Date(Date.now() - 60_000),
  notAfter: new Date(Date.now() + livesMs),
});

const keyPair = () => webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);

async function pemOf(key: webcrypto.CryptoKey): Promise<string> {
  return x509.PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', key), 'PRIVATE KEY');
}

export async function authority(name: string): Promise<Authority> {
  const keys = await keyPair();
  const root = await x509.X509CertificateGenerator.createSelfSigned({
    name: `CN=${name}`,
    keys,
    ...lives(),
    signingAlgorithm: algorithm,
    extensions: [new x509.BasicConstraintsExtension(true, 1, true)],
  });
  return {
    ca: root.toString('pem'),
    async issue(subject, forWhat, livesMs) {
      const own = await keyPair();
      const usage =
        forWhat === 'server' ? x509.ExtendedKeyUsage.serverAuth : x509.ExtendedKeyUsage.clientAuth;
      const certificate = await x509.X509CertificateGenerator.create({
        subject: `CN=${subject}`,
        issuer: root.subject,
        publicKey: own.publicKey,
        signingKey: keys.privateKey,
        ...lives(livesMs),
        signingAlgorithm: algorithm,
        extensions: [
          new x509.ExtendedKeyUsageExtension([usage]),
          ...(forWhat === 'server'
            ? [new x509.SubjectAlternativeNameExtension([{ type: 'ip', value: subject }])]
            : []),
        ],
      });
      return { cert: certificate.toString('pem'), key: await pemOf(own.privateKey) };
    },
  };
}
