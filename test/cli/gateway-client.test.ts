// What the command line reads of the gateway keeps every digit (MON-1, MON-4).
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gatewayClient, quotesPath } from '../../cli/gateway-client.ts';
import { parseExactJson } from '../../cli/gateway.ts';

describe('parseExactJson', () => {
  it('gives numbers as the digits that were written', () => {
    expect(parseExactJson('{"a":123456789012345.67,"b":[25,0.1,-3],"c":"4","d":null,"e":true}')).toEqual({
      a: '123456789012345.67',
      b: ['25', '0.1', '-3'],
      c: '4',
      d: null,
      e: true,
    });
  });

  it('leaves every text as it is, also one that looks like JSON', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' })), (texts) => {
        expect(parseExactJson(JSON.stringify(texts))).toEqual(texts);
      }),
    );
    expect(parseExactJson(String.raw`["a \" 1", "\\", 2]`)).toEqual(['a " 1', '\\', '2']);
  });
});

describe('quotesPath', () => {
  it('is the path of endpoint 12', () => {
    const request = {
      sourceCountry: 'SG',
      sourceCurrency: 'SGD',
      destinationCountry: 'TH',
      destinationCurrency: 'THB',
      amountCurrency: 'THB',
      amount: '24900',
      psp: 'LOTUSGS0',
    };
    expect(quotesPath(request)).toBe(
      '/quotes/SG/SGD/TH/THB/THB/24900?finInstIdType=BICFI&finInstId=LOTUSGS0',
    );
  });
});

describe('a refusal', () => {
  it("of a token says what the issuer says of it, in OAuth's words (RFC 6749, 5.2)", async () => {
    const server = createServer((_, response) => {
      response.writeHead(401, { 'content-type': 'application/json' });
      response.end('{"error":"invalid_client","error_description":"The client is unknown."}');
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const { port } = server.address() as AddressInfo;
    const refused = gatewayClient(`http://127.0.0.1:${port}`).token('NOBODY');
    await expect(refused).rejects.toThrow(
      'POST /oauth/token was answered with HTTP 401: invalid_client: The client is unknown.',
    );
    server.close();
  });
});
