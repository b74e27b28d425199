// Configuration: what it takes, what it says when it does not understand, and what it never lets through.
import { describe, expect, test } from 'vitest';
import {
  ConfigurationError,
  environmentVariables,
  parseApiConfig,
  parseCommonConfig,
  parseWorkerConfig,
  type Environment,
} from '../../core/config.ts';

const least: Environment = {
  DATABASE_URL: 'postgres://u:p@db:5432/isthmus',
  TEMPORAL_ADDRESS: 'temporal:7233',
  AUTH_ISSUER: 'https://issuer.example',
  AUTH_JWKS_URL: 'https://issuer.example/jwks',
};
const api = (env: Environment = {}) => parseApiConfig({ ...least, ...env });
const fault = (env: Environment): string => {
  try {
    api(env);
  } catch (error) {
    if (error instanceof ConfigurationError) return error.message;
    throw error;
  }
  throw new Error('it was taken');
};

describe('what is safe is the default', () => {
  test('loopback, an external issuer, no demo, https callbacks', () => {
    expect(api()).toMatchObject({
      host: '127.0.0.1',
      port: 8080,
      publicUrl: 'http://127.0.0.1:8080',
      auth: { kind: 'jwt', issuer: 'https://issuer.example', audience: 'http://127.0.0.1:8080' },
      demo: false,
      allowLoopbackCallbacks: false,
      corsOrigins: [],
      xsdEngine: 'libxml2',
      logLevel: 'info',
      temporal: { address: 'temporal:7233', namespace: 'default' },
    });
  });

  test('an empty variable is one that is not set', () => {
    const empty = Object.fromEntries(Object.keys(environmentVariables).map((name) => [name, '']));
    expect(parseApiConfig({ ...empty, ...least })).toEqual(api());
  });
});

describe('what is missing or not understood stops the start, by name', () => {
  test.each(['DATABASE_URL', 'TEMPORAL_ADDRESS', 'AUTH_ISSUER', 'AUTH_JWKS_URL'])('%s missing', (name) => {
    expect(fault({ [name]: undefined })).toMatch(new RegExp(`^${name} is not set: .+`));
  });

  test.each([
    ['PORT', '65536'],
    ['PORT', '80.5'],
    ['PORT', 'http'],
    ['AUTH', 'basic'],
    ['DEMO', 'yes'],
    ['DEMO', 'true'],
    ['ALLOW_LOOPBACK_CALLBACKS', '2'],
    ['XSD_ENGINE', 'msxml'],
    ['LOG_LEVEL', 'verbose'],
    ['PUBLIC_URL', 'isthmus.example'],
    ['PUBLIC_URL', 'https://user@isthmus.example'],
    ['PUBLIC_URL', 'https://isthmus.example/?a=b'],
  ])('%s=%s', (name, value) => {
    expect(fault({ [name]: value })).toMatch(new RegExp(`^${name} is not understood; it takes: .+`));
  });

  test('no message repeats a value, which may be a secret', () => {
    expect(fault({ PUBLIC_URL: 'postgres://u:secret@h' })).not.toContain('secret');
  });
});

describe('authentication (SEC-1)', () => {
  test.each(['0.0.0.0', '::', '10.0.0.5', 'isthmus.example', '128.0.0.1', '127.0.0.1.example'])(
    'none binds to loopback only, not to %s',
    (host) => {
      expect(fault({ AUTH: 'none', HOST: host })).toContain(`HOST=${host}`);
    },
  );

  test.each(['127.0.0.1', 'localhost', '::1', '127.9.9.9'])('none is taken on %s', (host) => {
    expect(api({ AUTH: 'none', HOST: host }).auth).toEqual({ kind: 'none' });
  });

  test('the built-in issuer is our own address, unless another is named', () => {
    const { auth } = api({ AUTH: 'builtin', AUTH_ISSUER: '', PUBLIC_URL: 'https://isthmus.example/' });
    expect(auth).toEqual({
      kind: 'builtin',
      issuer: 'https://isthmus.example',
      audience: 'https://isthmus.example',
    });
  });
});

test('lists are separated by commas', () => {
  expect(api({ CORS_ORIGINS: 'https://a.example,https://b.example' }).corsOrigins).toEqual([
    'https://a.example',
    'https://b.example',
  ]);
});

test('the worker and the migrate job ask for no more than they read', () => {
  const { DATABASE_URL, TEMPORAL_ADDRESS } = least;
  expect(parseWorkerConfig({ DATABASE_URL, TEMPORAL_ADDRESS }).databaseUrl).toBe(DATABASE_URL);
  expect(parseCommonConfig({ DATABASE_URL })).toEqual({ databaseUrl: DATABASE_URL, logLevel: 'info' });
});

test('every variable says what it is', () => {
  for (const [name, { description }] of Object.entries(environmentVariables)) {
    expect(description.length, name).toBeGreaterThan(10);
  }
});
