// What a failed attempt is called on record (CBK-4): to connect (connect-checked.ts), or on the way (exchange.ts).

/** Files, ports and memory that we are short of: they say nothing about the receiver. */
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
  ...ofOurMachine,
  HPE_HEADER_OVERFLOW: 'answer-too-large',
  EPROTO: 'tls',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'tls',
};

/** One word for the record (CBK-4), never a text of the other side. */
export function errorClassOf(error: unknown): string {
  if (!(error instanceof Error)) return 'failed';
  const { code, errorClass } = error as Error & { code?: unknown; errorClass?: unknown };
  if (typeof errorClass === 'string') return errorClass;
  if (typeof code !== 'string') return 'failed';
  if (code.startsWith('ERR_TLS') || code.startsWith('ERR_SSL') || code.includes('CERT')) return 'tls';
  return errorClasses[code] ?? (code.startsWith('HPE_') ? 'not-http' : 'failed');
}
