// Behind which gate a message waits (CBK-3): what one operator's receivers do must not slow another's.
import { expect, it } from 'vitest';
import { addressOf } from '../../activities/addresses.ts';
import type { ReferenceData } from '../../core/reference.ts';

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
