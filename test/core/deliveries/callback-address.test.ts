// Callback addresses are accepted only as their operator registered them, character by character (SEC-2).
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { refuseCallbackAddress, refuseEndpoint } from '../../../core/deliveries/callback-address.ts';

const registered = ['https://ips.example', 'https://ips.example:8443/answers', 'https://api.example/hooks/'];
const judge = (address: string, origins = registered, allowLoopbackHttp = false) =>
  refuseCallbackAddress(address, { origins, allowLoopbackHttp });

describe('an address under a registered origin is taken', () => {
  test.each([
    'https://ips.example',
    'https://ips.example/iso20022/pacs002',
    'https://ips.example:8443/answers',
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
    'https://ips.example.evil.example/',
  ])('%s', (address) => {
    expect(judge(address)).toBe(
      'is not under a callback origin registered by the operator of the submitting clearing system; the operators of the scheme register one',
    );
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
    'https://IPS.example/',
    'https://ips.example/#fragment',
    'https://ips.example/\\\\evil.example',
    'https:/ips.example/',
    'https://[::1/',
    'ftp://ips.example/',
    '',
  ])('%s', (address) => {
    expect(judge(address)).toMatch(/^must be scheme/);
  });

  test.each([
    ['https://ips.example/../x', 'has a path with dot segments or empty segments'],
    ['https://ips.example//x', 'has a path with dot segments or empty segments'],
    ['https://ips.example/%EF%BC%8E%EF%BC%8E/x', 'has a path with dot segments or empty segments'], // full-width dots
    ['https://ips.example/..;/x', 'has a path parameter (;)'],
    ['https://ips.example/%2e%2e/x', 'encodes a character that needs no encoding (%2e)'],
    ['https://ips.example/%252e%252e/x', 'is encoded twice (%25)'],
    ['https://ips.example/a%2Fb', 'encodes a character that divides addresses (%2F)'],
    ['https://ips.example/a%00', 'encodes an invisible character'],
    ['https://ips.example/a%', 'has a percent sign that does not begin an encoded character'],
    ['https://ips.example/%C0%AE%C0%AE/x', 'encodes bytes that are not UTF-8'],
  ])('one that could lead elsewhere: %s', (address, reason) => {
    expect(judge(address)).toBe(reason);
  });

  test.each([
    'https://a..example/',
    'https://a-.example/',
    'https://ips_x.example/',
    'https://127.1/',
    'https://127.0.0.01/',
    'https://256.0.0.1/',
    'https://[0:0:0:0:0:0:0:1]/',
    'https://[:::]/',
  ])('a host that is not in its one form: %s', (address) => {
    expect(judge(address, [address.slice(0, -1)])).toMatch(/^must be scheme|^has a host that/);
  });

  test('names longer than names may be', () => {
    for (const host of [`${'a'.repeat(64)}.example`, `${'a.'.repeat(127)}example`])
      expect(judge(`https://${host}/`, [`https://${host}`])).toMatch(/^has a host that/);
  });

  test.each([
    'https://192.0.2.1/',
    'https://[2001:db8::1]/',
    'https://[2001:db8::1:0:0:1]/',
    'https://xn--bcher-kva.example/',
  ])('but not one that is: %s', (address) => {
    expect(judge(address, [address.slice(0, -1)])).toBeUndefined();
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

/**
 * How servers and proxies read a path: decoded once or twice, parameters cut off, characters made plain, dots resolved.
 */
function readings(path: string): readonly string[] {
  const decode = (text: string) => {
    try {
      return decodeURIComponent(text);
    } catch {
      return text.replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
    }
  };
  const withoutParameters = (text: string) => text.replaceAll(/;[^/]*/g, '');
  const plain = (text: string) =>
    text
      .normalize('NFKC')
      .replaceAll('\\', '/')
      .replaceAll(/[ \0]+(?=\/|$)/g, '');
  const steps = [decode, withoutParameters, plain];
  const texts = new Set([path]);
  for (let round = 0; round < 3; round += 1) {
    for (const text of [...texts]) for (const step of steps) texts.add(step(text));
  }
  return [...texts].map((text) => new URL(`https://ips.example${text.replaceAll('?', '%3F')}`).pathname);
}

test('what is taken lies under its prefix however a server reads its path', () => {
  const part = fc.constantFrom(
    ...[
      'a',
      '/',
      '.',
      '..',
      '%2e',
      '%2E',
      '%252e',
      ';',
      '%3b',
      '%2f',
      '%5C',
      '%00',
      '%',
      '25',
      '2e',
      '2f',
      '%20',
    ],
    ...['%EF%BC%8E', '%EF%BC%8F', '%c0%ae', '~', '=', '&', ':', '@', '%C3%A9', '+'],
  );
  let taken = 0;
  fc.assert(
    fc.property(fc.array(part, { maxLength: 7 }), (parts) => {
      const path = `/cb/${parts.join('')}`;
      if (judge(`https://ips.example${path}`, ['https://ips.example/cb']) !== undefined) return;
      taken += 1;
      for (const reading of readings(path)) expect(reading).toMatch(/^\/cb(\/|$)/);
    }),
    { numRuns: 5_000 },
  );
  expect(taken).toBeGreaterThan(200);
});

describe('an address that is registered itself (operators, directories, FX providers)', () => {
  const refusal = (address: string, allowLoopbackHttp = false) =>
    refuseEndpoint(address, { allowLoopbackHttp });

  test('is taken over https, wherever it leads', () => {
    for (const address of [
      'https://ips.example',
      'https://ips.example:8443/a/iso20022/pacs008?pacs002Endpoint=https%3A%2F%2Fisthmus.example%2Fiso20022%2Fpacs002',
      'https://192.0.2.1/x',
    ])
      expect(refusal(address)).toBeUndefined();
  });

  test('is taken over http on loopback in a demo only', () => {
    for (const address of ['http://127.0.0.1:9102/IPSO-TH', 'http://localhost:9103/x', 'http://[::1]:1/']) {
      expect(refusal(address, true)).toBeUndefined();
      expect(refusal(address)).toBe('is not https');
    }
    expect(refusal('http://ips.example/', true)).toBe('is not https');
    expect(refusal('http://10.0.0.1/', true)).toBe('is not https');
  });

  test.each([
    'https://user@ips.example/',
    'https://ips.example/#a',
    'https://127.1/',
    'https://ips.example/..;/x',
    'https://ips.example/a/../b',
    '',
  ])('is held to the same form: %s', (address) => {
    expect(refusal(address, true)).toBeDefined();
  });
});
