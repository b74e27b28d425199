// Tells a database that cannot be reached, was too slow or asks for another try from a defect of ours. A payment is never
// judged by such a failure: whoever meets one waits and tries again.
const socketCodes = new Set(['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'EPIPE', 'ETIMEDOUT', 'EAI_AGAIN']);
/** SQLSTATE: connection failures, too many connections, shutting down or starting up, cannot serialise. */
const databaseCodes = /^(08...|53300|57P0[123]|40001|40P01)$/;
const poolMessages = /timeout exceeded when trying to connect|Connection terminated|not queryable/;

/** Whether the database could not be reached, was too slow, or asked for another try. */
export function isDatabaseFailure(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return socketCodes.has(code) || databaseCodes.test(code) || poolMessages.test(error.message);
}
