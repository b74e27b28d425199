/**
 * Settings that hold secrets: logins at brokers, certificates with their keys, keys that seal. What is wrong with one is
 * said without it.
 */
import { parseQueueLogins, type QueueLogins } from '../deliveries/queue-logins.ts';
import {
  parseReceiverCertificates,
  receiverCertificatesForm,
  type ReceiverCertificates,
} from '../deliveries/receiver-certificates.ts';
import { parseSealingKeys, sealingKeysForm, type SealingConfig } from './sealing-keys.ts';

export interface SecretSettings {
  /** Absent: nothing is sealed (SEC-3). */
  readonly sealing?: SealingConfig;
  /** Absent: none. */
  readonly queueLogins?: QueueLogins;
  /** Absent: none. */
  readonly receiverCertificates?: ReceiverCertificates;
}

type SecretVariable = 'AMQP_LOGINS' | 'RECEIVER_CERTIFICATES' | 'SEALING_KEYS';

interface Settings {
  readonly read: (name: SecretVariable) => string;
  readonly refused: (name: SecretVariable, expected: string) => Error;
  readonly isPem: (text: string) => boolean;
}

/** @throws what `refused` makes */
export function parseSecrets(
  { read, refused, isPem }: Settings,
  { seals }: Pick<SealingConfig, 'seals'>,
): SecretSettings {
  const json = <T>(name: SecretVariable, parse: (text: string) => T | undefined, expected: string): T => {
    const text = read(name);
    const value = parse(text === '' ? '{}' : text);
    if (value === undefined) throw refused(name, expected);
    return value;
  };
  const sealing = read('SEALING_KEYS');
  const keys = sealing === '' ? [] : parseSealingKeys(sealing);
  if (keys === undefined) throw refused('SEALING_KEYS', sealingKeysForm);
  const loginsForm = 'JSON: {"host:port": {"username": "...", "password": "..."}}';
  const certificates = (text: string) => parseReceiverCertificates(text, isPem);
  return {
    queueLogins: json('AMQP_LOGINS', parseQueueLogins, loginsForm),
    receiverCertificates: json('RECEIVER_CERTIFICATES', certificates, receiverCertificatesForm),
    ...(keys.length > 0 && { sealing: { keys, seals } }),
  };
}
