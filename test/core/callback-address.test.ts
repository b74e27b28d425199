// Addresses for answers: only as their operator registered them, letter for letter (SEC-2).
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { refuseCallbackAddress } from '../../core/callback-address.ts';

const registered = ['https://ips.example', 'https://ips.example:8443/answers', 'https://api.example/hooks/'];
const judge = (address: string, origins = registered, allowLoopbackHttp = false) =>
  refuseCallbackAddress(address, { origins, allowLoopbackHttp });

describe('an address under a registered origin is taken', () => {
  test.each([
    'https://ips.example',
    'https://ips.example/',
    'https://ips.example/iso20022/pacs002',
    'https://ips.example/a?b=c%20d',
    'https://ips.example:8443/answers',
    'https://ips.example:8443/answers/1',
    'https://api.example/hooks/1',
  ])('%s', (address) => {
    expect(judge(address)).toBeUndefined();
  });
});

describe('an address that is not under one is refused', () => {
  test.each([
    'https://ips.example:443/', // as written, not as meant
    'https://ips.example:8443/',
    'https://ips.example:8443/answersheet',
    'https://api.example/hooks',
    'https://api.example/',
    'https://sub.ips.example/',
    'https://ips.example.evil.example/',
    'https://ips.examples/',
    'https://other.example/',
  ])('%s', (address) => {
    expect(judge(address)).toBe('is not under a callback origin that its operator registered');
  });

  test('nothing is, where no origin is registered', () => {
    expect(judge('https://ips.example/', [])).toBeDefined();
  });

  test('an origin that is not understood covers nothing', () => {
    expect(judge('https://ips.example/', ['ips.example', '*', 'https://*.example', ''])).toBeDefined();
  });
});

describe('another spelling is refused', () => {
  test.each([
    'https://user:secret@ips.example/',
    'https://user@ips.example/',
    'https://IPS.example/',
    'HTTPS://ips.example/',
    'https://ips.example./',
    'https://ips.example/#fragment',
    'https://ips.example/\\\\evil.example',
    'https://ips.example\\\\@evil.example/',
    'https:/ips.example/',
    '//ips.example/',
    'https://ips.example:0443/',
    'https://ips.example:/',
    'https://[::1/',
    'https://ips.example/ a',
    'https://ips.example/\\n',
    'https://ips.example/ü',
    'javascript:alert(1)',
    'ftp://ips.example/',
    '',
  ])('%s', (address) => {
    expect(judge(address)).toMatch(/^is not written as /);
  });

  test.each([
    'https://ips.example/../x',
    'https://ips.example/a/./b',
    'https://ips.example/%2e%2e/x',
    'https://ips.example/a%2Fb',
    'https://ips.example//x',
    'https://ips.example/a%5cb',
  ])('a path that could lead elsewhere: %s', (address) => {
    expect(judge(address)).toBe('has a path with dot segments or empty segments');
  });

  test('a port beyond 65535, and an address beyond 2,048 characters', () => {
    expect(judge('https://ips.example:65536/')).toBe('has a port above 65535');
    expect(judge(`https://ips.example/${'a'.repeat(2_048)}`)).toBe('is longer than 2048 characters');
  });
});

describe('http', () => {
  const demo = ['http://127.0.0.1:*', 'http://localhost:*', 'http://ips.example', 'http://10.0.0.1:*'];

  test.each(['http://127.0.0.1:9101/callbacks', 'http://localhost:1/', 'http://127.0.0.1/'])(
    'is taken on loopback in a demo: %s',
    (address) => {
      expect(judge(address, demo, true)).toBeUndefined();
    },
  );

  test.each([
    'http://ips.example/',
    'http://10.0.0.1:80/',
    'http://127.1:80/',
    'http://2130706433:80/',
    'http://0x7f000001:80/',
    'http://127.0.0.2:80/',
  ])('is refused anywhere else, demo or not: %s', (address) => {
    expect(judge(address, demo, true)).toBeDefined();
  });

  test('is refused on loopback where it is no demo', () => {
    expect(judge('http://127.0.0.1:9101/callbacks', demo, false)).toBe('is not https');
  });
});

test('what is taken is, for a URL parser too, at the registered scheme, host and port', () => {
  const part = fc.constantFrom(
    'ips.example',
    'IPS.example',
    '@',
    ':',
    '/',
    '\\',
    '.',
    '..',
    '%2e',
    '#',
    '?',
    'a',
    '8443',
    '[::1]',
    ' ',
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
      const address = `https://${parts.join('')}`;
      if (judge(address) !== undefined) return;
      const { protocol, hostname, port, username, pathname } = new URL(address);
      expect([protocol, username]).toEqual(['https:', '']);
      expect(hostname).toBe('ips.example');
      expect(port === '' || (port === '8443' && pathname.startsWith('/answers'))).toBe(true);
    }),
    { numRuns: 2_000 },
  );
});
