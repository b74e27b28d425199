/**
 * Settings from files, as orchestrators hand over secrets and certificates: read before the settings are parsed
 * (config.ts).
 */
import { ConfigurationError } from './config.ts';
import {
  environmentVariables,
  type Environment,
  type EnvironmentVariableName,
} from './environment-variables.ts';

/**
 * `NAME_FILE` names a file that holds the value.
 * @internal exported for tests
 */
export const fileVariables = [
  'DATABASE_URL',
  'TEMPORAL_TLS_CA',
  'TEMPORAL_TLS_CERT',
  'TEMPORAL_TLS_KEY',
  'TEMPORAL_API_KEY',
  'AMQP_LOGINS',
  'RECEIVER_CERTIFICATES',
  'SEALING_KEYS',
  'TLS_CERT',
  'TLS_KEY',
  'TLS_CLIENT_CA',
  'OTEL_EXPORTER_OTLP_HEADERS',
] as const satisfies readonly EnvironmentVariableName[];

/**
 * The settings with what files hold, as orchestrators hand secrets over; white space at a file's end is no part of it.
 * @throws ConfigurationError where a file cannot be read, or a value is given twice
 */
export function withFiles(env: Environment, readFile: (path: string) => string): Environment {
  const read: Record<string, string> = {};
  const others = Object.keys(environmentVariables).filter(
    (name) => !fileVariables.some((one) => one === name),
  );
  for (const name of others) {
    if ((env[`${name}_FILE`] ?? '') === '') continue;
    const may = fileVariables.join(', ');
    throw new ConfigurationError(
      `${name}_FILE is set, but ${name} is not read from a file; these may be: ${may}.`,
    );
  }
  for (const name of fileVariables) {
    const path = env[`${name}_FILE`] ?? '';
    if (path === '') continue;
    if ((env[name] ?? '') !== '') {
      throw new ConfigurationError(`${name} and ${name}_FILE are both set: leave one of them out.`);
    }
    try {
      read[name] = readFile(path).trimEnd();
    } catch (error) {
      // never its path: it may be the secret itself, by mistake
      const code = error instanceof Error && 'code' in error ? String(error.code) : 'it is no file';
      throw new ConfigurationError(`${name}_FILE does not name a file that can be read (${code}).`);
    }
    if (read[name] === '') throw new ConfigurationError(`${name}_FILE names an empty file.`);
  }
  return { ...env, ...read };
}
