// Receivers that ask for a client certificate or use their own authority (mTLS, SEC-2): each gets only the
// certificate that is configured for it.
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { TLSSocket } from 'node:tls';
import { afterAll, describe, expect, it, test } from 'vitest';
import { createOutbound, type Outbound } from '../../../activities/wire/outbound.ts';
import { parseWorkerConfig } from '../../../core/settings/config.ts';
import { authority } from '../../harness/certificates.ts';
import { post } from './receivers.ts';

const theirs = await authority('theirs');
const ours = await authority('ours');
const server = await theirs.issue('127.0.0.1', 'server');
const gateway = await ours.issue('isthmus', 'client');

const closers: (() => Promise<unknown>)[] = [];
afterAll(() => Promise.all(closers.map((close) => close())));

/** A receiver; what it saw of our certificate is in its answer. */
async function receiver(asksFor: 'certificate' | 'nothing'): Promise<string> {
  const tls = {
    ...server,
    ca: ours.ca,
    requestCert: asksFor === 'certificate',
    rejectUnauthorized: asksFor === 'certificate',
  };
  const listening = createServer(tls, (request, response) => {
    const { socket } = request;
    const presented = socket instanceof TLSSocket ? socket.getPeerX509Certificate() : undefined;
    request.resume().on('end', () => response.end(presented?.subject ?? 'nobody'));
  });
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
  closers.push(() => new Promise((resolve) => listening.close(resolve)));
  return `https://127.0.0.1:${(listening.address() as AddressInfo).port}/`;
}

function outboundWith(certificates: Readonly<Record<string, object>>): Outbound {
  const { receiverCertificates } = parseWorkerConfig({
    DATABASE_URL: 'postgres://a@b/c',
    TEMPORAL_ADDRESS: 'a:1',
    RECEIVER_CERTIFICATES: JSON.stringify(certificates),
  });
  const outbound = createOutbound({
    allowLoopback: true,
    ...(receiverCertificates && { certificates: receiverCertificates }),
  });
  closers.unshift(() => outbound.close());
  return outbound;
}

const hostOf = (url: string) => new URL(url).host;

describe('a receiver that asks for a certificate', async () => {
  const [asks, asksToo, plain] = [
    await receiver('certificate'),
    await receiver('certificate'),
    await receiver('nothing'),
  ];
  const outbound = outboundWith({
    [hostOf(asks)]: { ...gateway, ca: theirs.ca },
    [hostOf(asksToo)]: { ca: theirs.ca },
    [hostOf(plain)]: { ca: theirs.ca },
  });

  it('gets that which is for it', async () => {
    const answer = await post(outbound, asks);
    expect(answer).toMatchObject({ outcome: 'ANSWERED', status: 200 });
    expect(answer.outcome === 'ANSWERED' && answer.body.toString()).toBe('CN=isthmus');
  });

  it('another that asks gets none, and takes nothing', async () => {
    expect((await post(outbound, asksToo)).outcome).not.toBe('ANSWERED');
  });

  it('who does not ask is not told who we are', async () => {
    const answer = await post(outbound, plain);
    expect(answer.outcome === 'ANSWERED' && answer.body.toString()).toBe('nobody');
  });

  it('without its authority it is not believed, and nothing is sent', async () => {
    expect(await post(outboundWith({ [hostOf(asks)]: gateway }), asks)).toEqual({
      outcome: 'NOT_SENT',
      errorClass: 'tls',
    });
    expect(await post(outboundWith({}), plain)).toEqual({ outcome: 'NOT_SENT', errorClass: 'tls' });
    expect(await post(outboundWith({ [hostOf(plain)]: { ca: ours.ca } }), plain)).toEqual({
      outcome: 'NOT_SENT',
      errorClass: 'tls',
    });
  });
});

test.each([
  ['no JSON', '{'],
  ['a list', '[]'],
  ['no port', JSON.stringify({ 'a.example': gateway })],
  ['a certificate without its key', JSON.stringify({ 'a.example:443': { cert: gateway.cert } })],
  ['nothing', JSON.stringify({ 'a.example:443': {} })],
  ['no PEM', JSON.stringify({ 'a.example:443': { ca: 'abc' } })],
  ['what we do not know', JSON.stringify({ 'a.example:443': { ...gateway, pfx: 'x' } })],
])('a setting that is %s stops the start, and is not repeated', (_what, text) => {
  const start = () =>
    parseWorkerConfig({
      DATABASE_URL: 'postgres://a@b/c',
      TEMPORAL_ADDRESS: 'a:1',
      RECEIVER_CERTIFICATES: text,
    });
  expect(start).toThrow('RECEIVER_CERTIFICATES is not valid');
  expect(start).not.toThrow('PRIVATE KEY');
});
