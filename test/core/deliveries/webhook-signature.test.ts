// Headers of a signed message, as whoever receives it reads them (CBK-2).
import { expect, test } from 'vitest';
import {
  readSignedHeaders,
  signedPrefix,
  webhookHeaders,
} from '../../../core/deliveries/webhook-signature.ts';

const now = 1_800_000_000;
const headers = webhookHeaders('MSG-1', String(now), ['YQ==', 'Yg==']);

test('are those of Standard Webhooks, with one signature for each key', () => {
  expect(headers).toEqual({
    'webhook-id': 'MSG-1',
    'webhook-timestamp': '1800000000',
    'webhook-signature': 'v1a,YQ== v1a,Yg==',
  });
  expect(signedPrefix('MSG-1', '1800000000')).toBe('MSG-1.1800000000.');
});

test('are read as they were written; signatures of other schemes are passed over', () => {
  const mixed = { ...headers, 'webhook-signature': `v1,Yw== ${headers['webhook-signature']}` };
  for (const one of [headers, mixed])
    expect(readSignedHeaders(one, now)).toEqual({
      id: 'MSG-1',
      timestamp: '1800000000',
      signatures: ['YQ==', 'Yg=='],
    });
});

test.each([299, 300, -300])('%i s from now they count', (seconds) => {
  expect(readSignedHeaders(headers, now + seconds)).toMatchObject({ id: 'MSG-1' });
});

test.each<[what: string, changes: Record<string, string | undefined>, fault: RegExp]>([
  ['no id', { 'webhook-id': undefined }, /are needed/],
  ['an empty id', { 'webhook-id': '' }, /are needed/],
  ['no time', { 'webhook-timestamp': undefined }, /are needed/],
  ['no signature', { 'webhook-signature': undefined }, /are needed/],
  ['a time in words', { 'webhook-timestamp': '2026-01-01T00:00:00Z' }, /no whole number of seconds/],
  ['a negative time', { 'webhook-timestamp': '-1800000000' }, /no whole number of seconds/],
  ['a time as a fraction', { 'webhook-timestamp': '1800000000.5' }, /no whole number of seconds/],
  ['an old time', { 'webhook-timestamp': String(now - 301) }, /more than 300 s from now/],
  ['a time to come', { 'webhook-timestamp': String(now + 301) }, /more than 300 s from now/],
  ['a symmetric signature', { 'webhook-signature': 'v1,YQ==' }, /has none of v1a/],
  ['a bare signature', { 'webhook-signature': 'YQ==' }, /has none of v1a/],
])('%s: says what is wrong', (_, changes, fault) => {
  expect(readSignedHeaders({ ...headers, ...changes }, now)).toMatch(fault);
});
