// Names the error class of a failed attempt for the record: of connecting (connect-checked.ts), or of the exchange
// (exchange.ts).
import net from 'node:net';

/**
 * Our shortages of files, ports and memory: they say nothing about the receiver. Do not add an error that can be
 * permanent for one receiver: a shortage of ours uses up no attempt and ends no delivery.
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
  EAFNOSUPPORT: 'unreachable', // the kernel has no IPv6
  ...ofOurMachine,
  HPE_HEADER_OVERFLOW: 'answer-too-large',
  EPROTO: 'tls',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'tls',
};

/** One word for the record, never a text from the other side. */
export function errorClassOf(error: unknown): string {
  if (!(error instanceof Error)) return 'failed';
  const { code, errorClass, address } = error as Error & Record<'code' | 'errorClass' | 'address', unknown>;
  if (typeof errorClass === 'string') return errorClass;
  if (typeof code !== 'string') return 'failed';
  // no port is left; with an IPv6 address, it usually means that IPv6 is switched off here, which is permanent
  if (code === 'EADDRNOTAVAIL' && typeof address === 'string' && net.isIPv6(address)) return 'unreachable';
  if (code.startsWith('ERR_TLS') || code.startsWith('ERR_SSL') || code.includes('CERT')) return 'tls';
  return errorClasses[code] ?? (code.startsWith('HPE_') ? 'not-http' : 'failed');
}
