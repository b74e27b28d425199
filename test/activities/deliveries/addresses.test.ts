// Behind which gate a message waits (CBK-3): what one operator's receivers do must not slow another's.
import { expect, it } from 'vitest';
import { addressOf } from '../../../activities/deliveries/addresses.ts';
import type { ReferenceData } from '../../../core/scheme/reference.ts';

const host = 'https://cloud.example.com';
const operators = new Map(
  ['IPSO-SG', 'IPSO-TH'].map((operatorId) => [operatorId, { operatorId, callbackOrigins: [host] }]),
);
const clearingSystems = new Map([
  ['SGDFAST', { operatorId: 'IPSO-SG' }],
  ['THBPPAY', { operatorId: 'IPSO-TH' }],
]);
const reference = { operators, clearingSystems } as unknown as ReferenceData;
const deps = {
  reference: () => reference,
  publicUrl: 'https://isthmus.example.com',
  allowLoopbackCallbacks: false,
};

const gateOf = (party: string, path: string) =>
  addressOf(deps, { kind: 'callback', party, url: `${host}${path}` })?.receiver;

it('callbacks of two operators behind one host wait at two gates, those of one operator at one', () => {
  expect(gateOf('SGDFAST', '/sg/pacs002')).not.toBe(gateOf('THBPPAY', '/th/pacs002'));
  expect(gateOf('SGDFAST', '/sg/pacs002')).toBe(gateOf('SGDFAST', '/sg/other'));
});

it('an origin whose port is open is one gate, and no gate for each port that its operator names (CBK-3)', () => {
  const open = {
    ...reference,
    operators: new Map([
      ['IPSO-SG', { operatorId: 'IPSO-SG', callbackOrigins: [`${host}:*`, `${host}:8443/own`] }],
    ]),
  } as unknown as ReferenceData;
  const gate = (place: string) =>
    addressOf(
      { ...deps, reference: () => open },
      { kind: 'callback', party: 'SGDFAST', url: `${host}${place}` },
    )?.receiver;
  expect(new Set([':1/a', ':2/a', '/a', ':8443/a'].map(gate))).toEqual(
    new Set([`SGDFAST cloud.example.com ${host}:*`]),
  );
  expect(gate(':8443/own/a')).toBe(`SGDFAST cloud.example.com ${host}:8443/own`);
});

it.each([
  ['https://in.example.com', '/iso20022/pacs008'],
  ['https://in.example.com/', '/iso20022/pacs008'],
  ['https://in.example.com/ips/?key=1', '/ips/iso20022/pacs008?key=1'],
])('our path comes behind the path of %s, and its query stays a query (CBK-5)', (endpointUrl, path) => {
  const registered = {
    ...reference,
    operators: new Map([['IPSO-SG', { operatorId: 'IPSO-SG', endpointUrl }]]),
  } as unknown as ReferenceData;
  const instruction = { kind: 'instruction', party: 'SGDFAST', url: null } as const;
  const url = new URL(addressOf({ ...deps, reference: () => registered }, instruction)?.url ?? '');
  const answer = url.searchParams.get('pacs002Endpoint');
  url.searchParams.delete('pacs002Endpoint');
  expect([url.pathname + url.search, answer]).toEqual([path, 'https://isthmus.example.com/iso20022/pacs002']);
});
