// An address of Postgres that asks for TLS in words that the driver does not know is refused, not talked to in plain text: a
// setting is never ignored without a word.
import { expect, test } from 'vitest';
import { parseCommonConfig } from '../../../core/settings/config.ts';

const parsed = (query: string) => () =>
  parseCommonConfig({ DATABASE_URL: `postgres://isthmus@db.example:5432/isthmus?${query}` });

test.each(['ssl_mode=verify-full', 'SSLMODE=verify-full', 'sslMode=verify-full', 'sslmode='])(
  'what asks for TLS in other words (%s) is refused: the driver would speak in plain text',
  (query) => {
    expect(parsed(query)).toThrow('DATABASE_URL');
  },
);

test('what says two things of TLS is refused: the driver takes the last', () => {
  expect(parsed('sslmode=verify-full&sslmode=disable')).toThrow('DATABASE_URL');
});

test.each(['sslmode=verify-full', 'sslmode=verify-full&sslrootcert=%2Fca.pem', 'sslmode=disable'])(
  'what the driver knows (%s) is taken',
  (query) => {
    expect(parsed(query)).not.toThrow();
  },
);
