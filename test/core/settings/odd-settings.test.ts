// Settings that name a place or a number, with values that nobody means: each is refused at the start, in one sentence
// that names the variable and repeats no secret (SEC-1, SEC-2).
import { expect, test } from 'vitest';
import { parseApiConfig } from '../../../core/settings/config.ts';
import { ConfigurationError } from '../../../core/settings/environment-variables.ts';
import type { Environment } from '../../../core/settings/environment-variables.ts';
import { parseSandboxEnvironment } from '../../../sandbox/environment.ts';

interface Place {
  readonly scheme?: string;
  readonly userinfo?: string;
  readonly host?: string;
  readonly port?: string;
}

const web = ({ scheme = 'https', userinfo = '', host = 'a.example', port = '8443' }: Place) =>
  `${scheme}://${userinfo}${host}:${port}`;
/** How each setting is written. */
const places: Readonly<Record<string, (place: Place) => string>> = {
  DATABASE_URL: ({ scheme = 'postgres', userinfo = 'u:secret@', host = 'db', port = '5432' }) =>
    `${scheme}://${userinfo}${host}:${port}/isthmus`,
  TEMPORAL_ADDRESS: ({ scheme, userinfo = '', host = 'temporal', port = '7233' }) =>
    `${scheme === undefined ? '' : `${scheme}://`}${userinfo}${host}:${port}`,
  PUBLIC_URL: web,
  AUTH_ISSUER: web,
  AUTH_JWKS_URL: web,
  CORS_ORIGINS: web,
  OTEL_EXPORTER_OTLP_ENDPOINT: web,
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: web,
};
const least: Environment = Object.fromEntries(
  Object.entries(places).map(([name, write]) => [name, write({})]),
);

function toldOf(env: Environment): string {
  try {
    parseApiConfig({ ...least, ...env });
  } catch (error) {
    if (error instanceof ConfigurationError) return error.message;
    throw error;
  }
  return 'it was taken';
}

function expectRefusal(told: string, name: string): void {
  expect(told).toMatch(new RegExp(`^${name} is not valid; expected: [^\n]+$`));
  expect(told).not.toContain('secret');
}

const ports = ['0', '-0', '-1', '+80', '080', '8_0', '1e3', '0x10', '80.0', '65536', '99999', '٨٠', '８０', '²', ' 80', ' ']; // prettier-ignore
const hosts = ['', ' ', 'a b', 'a%zz', 'a%20b', 'a..', '.a', '-', 'a^b', '0x7f000001', '127.1', '1.2.3.4.5', '300.1.1.1', '[:::]', '[g::1]', '[::1', '::1', 'аpple.example', '１２７.0.0.1']; // prettier-ignore
const tails = [' ', '\n', '\0', '\x01', '\x7f', '\u00A0', '\u200B', '%', '%zz', '%ff', '%00', '#a', ';a=b', ' --x', '"', '\\', ',']; // prettier-ignore
const whole = [
  ' ',
  '\t',
  '%zz',
  '/',
  '//',
  '://',
  '-',
  '0',
  '1e3',
  '0x10',
  '-0',
  '٨٠',
  'a b',
  'null',
  'undefined',
];

const odd = Object.entries(places).flatMap(([name, write]) =>
  [
    ...whole,
    ...ports.map((port) => write({ port })),
    ...hosts.map((host) => write({ host })),
    ...tails.flatMap((tail) => [write({}) + tail, ...(tail === ',' ? [] : [tail + write({})])]),
    ...['gopher', 'file', 'javascript', ' https', 'http//', ''].map((scheme) => write({ scheme })),
    ...[
      'a b:secret@',
      '%zz:secret@',
      'u:secret%@',
      'u:%ffsecret@',
      'u:secret%00@',
      'u:secret\x01@',
      'u:secret/@',
    ].map((userinfo) => write({ userinfo })),
  ].map((value) => [name, value] as const),
);

test.each(odd)('%s=%j is refused', (name, value) => {
  expectRefusal(toldOf({ [name]: value }), name);
});

test.each([
  'postgres://u:secret@/isthmus?host=%zz',
  'postgres://u:secret@/isthmus?host=/run&port=x',
  'postgres://u:secret@db/isthmus?a=%ff',
  'postgres://u:secret@db/%zz',
  'postgres://u:secret@db:/isthmus',
  'postgres://u:secret@db:0/isthmus',
])(
  // prettier-ignore
  'DATABASE_URL=%j is refused',
  (value) => {
    expectRefusal(toldOf({ DATABASE_URL: value }), 'DATABASE_URL');
  },
);

test.each(ports.filter((port) => port !== '0'))('PORT=%j is refused', (port) => {
  expectRefusal(toldOf({ PORT: port }), 'PORT');
});

test.each(hosts.filter((host) => !['', '::1'].includes(host)))('HOST=%j is refused', (host) => {
  expectRefusal(toldOf({ HOST: host }), 'HOST');
});

test.each(['TEMPORAL_NAMESPACE', 'AUTH_AUDIENCE'])('%s is one word', (name) => {
  for (const value of [' ', 'a b', 'a\n', '\u00A0', 'a\0']) expectRefusal(toldOf({ [name]: value }), name);
});

test.each([
  { PUBLIC_URL: 'http://x' },
  { PUBLIC_URL: 'http://10.0.0.5:8080' },
  { PUBLIC_URL: 'http://x', AUTH: 'builtin' },
  { PUBLIC_URL: 'http://x', AUTH: 'none' },
  { PUBLIC_URL: 'http://127.0.0.1.example' },
  { AUTH: 'builtin', AUTH_ISSUER: 'http://x' },
])('tokens and messages go over https outside loopback: %j', (env: Environment) => {
  expectRefusal(toldOf(env), env['AUTH_ISSUER'] === undefined ? 'PUBLIC_URL' : 'AUTH_ISSUER');
  expect(toldOf(env)).toContain('https');
});

test.each([
  'http://127.0.0.1:8080',
  'http://localhost',
  'http://[::1]:8080',
  'https://isthmus.example/base/',
])('PUBLIC_URL may be %s', (url) => {
  expect(toldOf({ PUBLIC_URL: url, AUTH: 'builtin', AUTH_ISSUER: '' })).toBe('it was taken');
});

test.each(['[::1]:7233', '[2001:db8:0:0:0:0:0:1]:7233', 'a_b.Ns.svc:7233', '10.0.0.5:1'])(
  'TEMPORAL_ADDRESS may be %s',
  (address) => {
    expect(toldOf({ TEMPORAL_ADDRESS: address })).toBe('it was taken');
  },
);

test.each([
  'postgres://u:p%2Fss%E2%82%AC@db/isthmus',
  'postgres://%2Frun%2Fpostgresql/isthmus',
  'postgres://u:p@/isthmus?host=/run&port=5433',
  'postgres://u:p!$&()*+,;=~@Db_1/isth-mus?sslmode=require',
])(
  // prettier-ignore
  'DATABASE_URL may be %s',
  (url) => {
    expect(toldOf({ DATABASE_URL: url })).toBe('it was taken');
  },
);

test.each([
  ...ports.filter((port) => port !== '0').map((port) => ({ SOURCE_PORT: port })),
  ...hosts.map((host) => ({ TOKEN_URL: web({ host }) })),
  ...tails.map((tail) => ({ TOKEN_URL: `${web({})}/oauth/token${tail}` })).slice(0, 11),
  { TOKEN_URL: web({ userinfo: 'u:secret@' }) },
])('the sandbox refuses %j', (env: Environment) => {
  expect(() => parseSandboxEnvironment(env)).toThrow(ConfigurationError);
});
