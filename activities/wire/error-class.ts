// Names the error class of a failed attempt, which is recorded. The attempt failed to connect
// (connect-checked.ts) or during the exchange (exchange.ts).
import net from 'node:net';

/**
 * Shortages of files, ports and memory in this process, which show nothing about the receiver's health. Do
 * not add an error that can be permanent for one receiver: a shortage uses up no attempt and ends no
 * delivery.
 */
const ofOurMachine = Object.fromEntries(
  ['EMFILE', 'ENFILE', 'EADDRNOTAVAIL', 'ENOBUFS', 'ENOMEM'].map((code) => [code, 'own-resources']),
);

const errorClasses: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'refused',
  ECONNRESET: 'reset',
  EPIPE: 'reset',
  ETIMEDOUT: 'timeout',
  ENETUNREACH: 'unreachable',
  EHOSTUNREACH: 'unreachable',
  EAFNOSUPPORT: 'unreachable', // The kernel has no IPv6.
  ...ofOurMachine,
  HPE_HEADER_OVERFLOW: 'answer-too-large',
  EPROTO: 'tls',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'tls',
};

/** One word for the database, never a text from the other side. */
export function errorClassOf(error: unknown): string {
  if (!(error instanceof Error)) return 'failed';
  const { code, errorClass, address } = error as Error & Record<'code' | 'errorClass' | 'address', unknown>;
  if (typeof errorClass === 'string') return errorClass;
  if (typeof code !== 'string') return 'failed';
  // No local port is free. For an IPv6 address, this usually means that IPv6 is switched off here, which is
  // permanent.
  if (code === 'EADDRNOTAVAIL' && typeof address === 'string' && net.isIPv6(address)) return 'unreachable';
  if (code.startsWith('ERR_TLS') || code.startsWith('ERR_SSL') || code.includes('CERT')) return 'tls';
  return errorClasses[code] ?? (code.startsWith('HPE_') ? 'not-http' : 'failed');
}
