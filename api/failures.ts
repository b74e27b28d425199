// Tells a part that does not answer (503, try again) from a defect of ours (500).
const socketCodes = new Set(['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'EPIPE', 'ETIMEDOUT', 'EAI_AGAIN']);
/** SQLSTATE: connection failures, too many connections, shutting down or starting up, cannot serialise. */
const databaseCodes = /^(08...|53300|57P0[123]|40001|40P01)$/;
const poolMessages = /timeout exceeded when trying to connect|Connection terminated|not queryable/;

/** Temporal did not answer in time; what was stored is not lost, and the same request may be sent again. */
export class TemporalUnavailable extends Error {
  override readonly name = 'TemporalUnavailable';
}

/** Whether the error says that a part could not be reached or asked for another try. */
export function isUnavailable(error: unknown): boolean {
  if (error instanceof TemporalUnavailable) return true;
  if (!(error instanceof Error)) return false;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return socketCodes.has(code) || databaseCodes.test(code) || poolMessages.test(error.message);
}
