// Configuration: what it accepts, what it says about a mistake, and what it refuses for safety.
import { describe, expect, test } from 'vitest';
import { parseApiConfig, parseCommonConfig, parseWorkerConfig } from '../../../core/settings/config.ts';
import { ConfigurationError } from '../../../core/settings/environment-variables.ts';
import type { Environment } from '../../../core/settings/environment-variables.ts';
import { allSettings, withFiles } from '../../../core/settings/settings.ts';

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
      xercesShare: 0.01,
      logLevel: 'info',
      temporal: { address: 'temporal:7233', namespace: 'default' },
    });
  });

  test('an empty variable is one that is not set', () => {
    const empty = Object.fromEntries(allSettings.map(({ name }) => [name, '']));
    expect(parseApiConfig({ ...empty, ...least })).toEqual(api());
  });
});

describe('what is missing or not understood stops the start, by name', () => {
  test.each(['DATABASE_URL', 'TEMPORAL_ADDRESS', 'AUTH_ISSUER', 'AUTH_JWKS_URL'])('%s missing', (name) => {
    expect(fault({ [name]: undefined })).toMatch(new RegExp(`^${name} is not set: .+`));
  });

  test.each([
    ['PORT', '65536'],
    ['PORT', 'http'],
    ['AUTH', 'basic'],
    ['DEMO', 'yes'],
    ['DEMO', 'true'],
    ['ALLOW_LOOPBACK_CALLBACKS', '2'],
    ['LOG_LEVEL', 'verbose'],
    ['PUBLIC_URL', 'isthmus.example'],
    ['PUBLIC_URL', 'https://user@isthmus.example'],
    ['PUBLIC_URL', 'https://isthmus.example/?a=b'],
    ['DATABASE_URL', 'isthmus'],
    ['DATABASE_URL', 'mysql://u:p@db/isthmus'],
    ['DATABASE_URL', 'postgres://u:p@db:5432'],
    ['TEMPORAL_ADDRESS', 'temporal'],
    ['TEMPORAL_ADDRESS', 'http://temporal:7233'],
    ['HOST', 'http://127.0.0.1'],
    ['AUTH_ISSUER', 'http://issuer.example'],
    ['AUTH_ISSUER', 'https://user@issuer.example'],
    ['AUTH_JWKS_URL', 'http://issuer.example/jwks'],
    ['AUTH_JWKS_URL', 'http://127.0.0.1/jwks'], // not without DEMO=1
    ['AUTH_JWKS_URL', 'https://user:secret@issuer.example/jwks'],
    ['CORS_ORIGINS', '*'],
    ['CORS_ORIGINS', 'https://a.example/path'],
    ['CORS_ORIGINS', 'http://a.example'],
  ])('%s=%s', (name, value) => {
    expect(fault({ [name]: value })).toMatch(new RegExp(`^${name} is not valid; expected: .+`));
  });

  test('all that is wrong is told at once, a line each, and no value, which may be a secret', () => {
    const told = fault({
      DATABASE_URL: 'secret',
      PORT: 'secret',
      SEALING_KEYS: 'secret',
      TEMPORAL_ADDRESS: '',
    });
    expect(told.split('\n').map((line) => line.split(' ')[0])).toEqual([
      'DATABASE_URL',
      'TEMPORAL_ADDRESS',
      'SEALING_KEYS',
      'PORT',
    ]);
    expect(told).not.toContain('secret');
  });

  test('so is all that does not go together', () => {
    const told = fault({ TLS_CERT: '-----BEGIN A-----\nAA\n-----END A-----\n', AUTH_ISSUER: '', DEMO: '1', PUBLIC_URL: 'https://a.example' }); // prettier-ignore
    expect(told.split('\n')).toEqual([
      expect.stringMatching(/^DEMO=1 is safe on loopback only/),
      expect.stringMatching(/^TLS_KEY is not valid; expected: PEM: TLS_CERT and TLS_KEY go together/),
      expect.stringMatching(/^AUTH_ISSUER is not set/),
    ]);
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

  test('settings of an external issuer are not judged where another issuer is used', () => {
    const unused = { AUTH_ISSUER: 'unused', AUTH_JWKS_URL: 'unused' };
    expect(api({ AUTH: 'none', ...unused }).auth).toEqual({ kind: 'none' });
    expect(api({ AUTH: 'builtin', AUTH_JWKS_URL: 'unused' }).auth).toMatchObject({ kind: 'builtin' });
  });

  test.each([
    [{ AUTH_JWKS_URL: 'http://127.0.0.1:9000/jwks', DEMO: '1' }],
    [{ AUTH_JWKS_URL: 'http://localhost:9000/jwks', DEMO: '1' }],
    [{ AUTH_ISSUER: 'http://127.0.0.1:9000', DEMO: '1' }],
    [
      {
        AUTH_ISSUER: 'https://issuer.example/tenant/',
        AUTH_JWKS_URL: 'https://issuer.example/keys?tenant=a',
      },
    ],
  ])('an external issuer may be on loopback in a demo, and have a path: %j', (env: Environment) => {
    const { AUTH_ISSUER: issuer, AUTH_JWKS_URL: jwksUrl } = { ...least, ...env };
    expect(api(env).auth).toMatchObject({ kind: 'jwt', issuer, jwksUrl });
  });

  test.each(['0.0.0.0', '::', '10.0.0.5', 'isthmus.example'])(
    'demo clients, whose secrets everybody knows, are not offered on %s, unless that is said',
    (host) => {
      const env = { AUTH: 'builtin', DEMO: '1', HOST: host };
      expect(fault(env)).toMatch(/DEMO=1.*ALLOW_DEMO_ON_NETWORK=1/s);
      expect(api({ ...env, ALLOW_DEMO_ON_NETWORK: '1' })).toMatchObject({ host, demo: true });
      expect(api({ ...env, DEMO: '0' })).toMatchObject({ host, demo: false });
    },
  );

  test.each([{ DEMO: '1' }, { AUTH: 'none' }, { FOUR_EYES: '0' }, { ALLOW_LOOPBACK_CALLBACKS: '1' }])(
    'what is safe on loopback only is refused where others come: %j',
    (env: Environment) => {
      const said = Object.entries(env).map(([name, value]) => `${name}=${value ?? ''}`)[0] ?? '';
      for (const PUBLIC_URL of ['https://isthmus.example', 'https://10.0.0.5', 'https://127.0.0.1.example'])
        expect(fault({ ...env, PUBLIC_URL })).toMatch(
          new RegExp(`^${said} is safe on loopback only.*PUBLIC_URL`),
        );
      expect(fault({ ...env, TRUSTED_PROXIES: '127.0.0.1' })).toMatch(
        new RegExp(`^${said} is safe on loopback only.*TRUSTED_PROXIES`),
      );
      for (const PUBLIC_URL of ['http://127.0.0.1:8080', 'http://localhost:1', 'http://[::1]:1'])
        expect(api({ ...env, PUBLIC_URL }).publicUrl).toBe(PUBLIC_URL);
    },
  );

  test('no word opens AUTH=none to the network', () => {
    expect(fault({ AUTH: 'none', HOST: '0.0.0.0', ALLOW_DEMO_ON_NETWORK: '1' })).toContain('HOST=0.0.0.0');
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
  const origins = [
    'https://a.example',
    'https://b.example:8443',
    'http://localhost:3000',
    'https://[2001:db8::1]',
  ];
  expect(api({ CORS_ORIGINS: origins.join(',') }).corsOrigins).toEqual(origins);
});

test.each([
  'postgres://u:p@db:5432/isthmus',
  'postgresql://db/isthmus?sslmode=require',
  'postgres://u:p%40ss@[::1]:5432/isthmus',
  'postgres:///isthmus?host=/var/run/postgresql',
])('a database may be written as %s', (url) => {
  expect(api({ DATABASE_URL: url }).databaseUrl).toBe(url);
});

test.each(['127.0.0.1:7233', 'temporal-frontend.ns.svc.cluster.local:7233', '[::1]:7233'])(
  'a Temporal frontend may be written as %s',
  (address) => {
    expect(api({ TEMPORAL_ADDRESS: address }).temporal.address).toBe(address);
  },
);

test('the worker and the migrate job ask for no more than they read', () => {
  const { DATABASE_URL, TEMPORAL_ADDRESS } = least;
  expect(parseWorkerConfig({ DATABASE_URL, TEMPORAL_ADDRESS }).databaseUrl).toBe(DATABASE_URL);
  expect(parseCommonConfig({ DATABASE_URL })).toEqual({ databaseUrl: DATABASE_URL });
});

test('every variable says what it is, and what is allowed', () => {
  for (const { name, form, details } of allSettings) {
    expect(details.description.length, name).toBeGreaterThan(6);
    expect(form.description, name).toBeDefined();
  }
});

describe('TLS to Temporal', () => {
  const pem = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';
  test('is off, and on with what is named', () => {
    expect(api().temporal).not.toHaveProperty('tls');
    expect(api({ TEMPORAL_TLS: '1' }).temporal).toMatchObject({ tls: {} });
    const settings = { TEMPORAL_TLS_CA: pem, TEMPORAL_TLS_CERT: pem, TEMPORAL_TLS_KEY: pem };
    expect(
      api({ TEMPORAL_TLS: '1', ...settings, TEMPORAL_TLS_SERVER_NAME: 'a.example', TEMPORAL_API_KEY: 'k' })
        .temporal,
    ).toMatchObject({
      tls: { ca: pem, client: { cert: pem, key: pem }, serverName: 'a.example' },
      apiKey: 'k',
    });
  });

  test.each([
    [{ TEMPORAL_TLS_CA: pem }, /^TEMPORAL_TLS_CA is set, and TEMPORAL_TLS is not 1/],
    [{ TEMPORAL_API_KEY: 'k' }, /^TEMPORAL_API_KEY is set, and TEMPORAL_TLS is not 1/],
    [{ TEMPORAL_TLS: '1', TEMPORAL_TLS_CERT: pem }, /^TEMPORAL_TLS_CERT and TEMPORAL_TLS_KEY go together/],
    [{ TEMPORAL_TLS: '1', TEMPORAL_TLS_CA: '/a/path.pem' }, /^TEMPORAL_TLS_CA is not valid; expected: PEM/],
    [{ TEMPORAL_TLS: 'yes' }, /^TEMPORAL_TLS is not valid/],
  ])('%o is refused', (settings, told) => {
    expect(fault(settings)).toMatch(told);
  });
});

describe('the version of a worker in Temporal', () => {
  test('is named by its deployment and its build, together', () => {
    const TEMPORAL_DEPLOYMENT_NAME = 'isthmus/isthmus-worker';
    expect(api().temporal).not.toHaveProperty('deployment');
    expect(
      api({ TEMPORAL_DEPLOYMENT_NAME, TEMPORAL_WORKER_BUILD_ID: '1.0.0-5f3b' }).temporal.deployment,
    ).toEqual({
      name: TEMPORAL_DEPLOYMENT_NAME,
      buildId: '1.0.0-5f3b',
    });
    expect(fault({ TEMPORAL_DEPLOYMENT_NAME })).toMatch(/TEMPORAL_WORKER_BUILD_ID go together/);
  });
});

describe('TLS that ends in the api', () => {
  const pem = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';
  const own = { TLS_CERT: pem, TLS_KEY: pem };
  test('does not go with tokens of an issuer of plain HTTP (SEC-1)', () => {
    expect(fault({ ...own, PUBLIC_URL: 'http://127.0.0.1:8080' })).toMatch(
      /^PUBLIC_URL is not valid; expected: https, where the api ends TLS by TLS_CERT/,
    );
    expect(api({ ...own, PUBLIC_URL: 'https://a.example' }).tls).toEqual({ cert: pem, key: pem });
    expect(api({ ...own, PUBLIC_URL: '' }).tls).toEqual({ cert: pem, key: pem });
  });
});

describe('what files hold', () => {
  const files: Readonly<Record<string, string>> = { '/run/key': 'secret\n', '/run/empty': '\n' };
  const readFile = (path: string) => {
    const text = files[path];
    if (text === undefined) throw Object.assign(new Error(path), { code: 'ENOENT' });
    return text;
  };
  const read = (env: Environment) => withFiles(env, readFile);

  test('is a setting, without the line break at its end', () => {
    expect(read({ TEMPORAL_API_KEY_FILE: '/run/key', PORT: '1' })).toMatchObject({
      TEMPORAL_API_KEY: 'secret',
      PORT: '1',
    });
    expect(read({ TEMPORAL_API_KEY_FILE: '', TEMPORAL_API_KEY: 'k' })).toMatchObject({
      TEMPORAL_API_KEY: 'k',
    });
  });

  test.each([
    [{ DATABASE_URL_FILE: '/run/none' }, 'DATABASE_URL_FILE does not name a file that can be read (ENOENT).'],
    [{ DATABASE_URL_FILE: '/run/empty' }, 'DATABASE_URL_FILE names an empty file.'],
    [
      { AUTH_JWKS_URL_FILE: '/run/key' },
      'AUTH_JWKS_URL_FILE is set, but AUTH_JWKS_URL is not read from a file',
    ],
    [{ DATABASE_URL_FILE: '/run/key', DATABASE_URL: 'x' }, 'DATABASE_URL and DATABASE_URL_FILE are both set'],
  ])('%o is refused', (env, told) => {
    expect(() => read(env)).toThrow(told);
  });
});
