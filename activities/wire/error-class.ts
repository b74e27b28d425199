// What a failed attempt is called on record: to connect (connect-checked.ts), or on the way (exchange.ts).
import net from 'node:net';

/**
 * Files, ports and memory that we are short of: they say nothing about the receiver. Nothing is here that can be true of
 * one receiver for ever, for a lack of our own ends nothing.
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
  EAFNOSUPPORT: 'unreachable', // a kernel that knows no IPv6
  ...ofOurMachine,
  HPE_HEADER_OVERFLOW: 'answer-too-large',
  EPROTO: 'tls',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'tls',
};

/** One word for the record, never a text of the other side. */
export function errorClassOf(error: unknown): string {
  if (!(error instanceof Error)) return 'failed';
  const { code, errorClass, address } = error as Error & Record<'code' | 'errorClass' | 'address', unknown>;
  if (typeof errorClass === 'string') return errorClass;
  if (typeof code !== 'string') return 'failed';
  // no port is left; of an IPv6 address, most often, that we have none to speak from: it is switched off, and stays so
  if (code === 'EADDRNOTAVAIL' && typeof address === 'string' && net.isIPv6(address)) return 'unreachable';
  if (code.startsWith('ERR_TLS') || code.startsWith('ERR_SSL') || code.includes('CERT')) return 'tls';
  return errorClasses[code] ?? (code.startsWith('HPE_') ? 'not-http' : 'failed');
}
