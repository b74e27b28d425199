// Payloads are opened one after the other (SEC-3): what a request names is not asked of the database all at once. And the
// endpoint takes what the tools of Temporal send.
import { expect, test } from 'vitest';
import { payloadCodecRoutes } from '../../../api/operations/payload-codec.ts';
import { sealingCodec } from '../../../contract/payload-codec.ts';
import { testDatabase } from '../../harness/database.ts';
import { startApi } from '../http/running-api.ts';

const bytes = (text: string) => Uint8Array.from(Buffer.from(text));
const sealedUnder = (keyId: string) => ({
  metadata: { encoding: bytes('binary/encrypted'), 'encryption-key-id': bytes(keyId) },
  data: bytes('x'),
});

test('of a thousand keys that are not there, one is looked for', async () => {
  const asked: string[] = [];
  const codec = sealingCodec({
    seal: (data) => ({ bytes: data, keyId: null }),
    open: (keyId) => {
      asked.push(keyId);
      return Promise.reject(new Error(`${keyId} is not there`));
    },
  });
  const payloads = Array.from({ length: 1_000 }, (_, index) => sealedUnder(`key ${index}`));
  await expect(codec.decode(payloads)).rejects.toThrow('key 0 is not there');
  expect(asked).toEqual(['key 0']);
});

test('several that are there keep their order, and no two are looked for at once', async () => {
  let underWay = 0;
  let most = 0;
  const codec = sealingCodec({
    seal: (data) => ({ bytes: data, keyId: null }),
    open: async (keyId) => {
      most = Math.max(most, (underWay += 1));
      await new Promise(setImmediate);
      underWay -= 1;
      return bytes(keyId);
    },
  });
  const plain = { data: bytes('plain') };
  const opened = await codec.decode([sealedUnder('one'), plain, sealedUnder('x'.repeat(200_000))]);
  expect(opened.map(({ data }) => data?.length)).toEqual([3, 5, 200_000]);
  expect(most).toBe(1);
});

test('no payloads are as the command line of Temporal sends none: the member is left out', async () => {
  const { url } = await testDatabase();
  const api = await startApi(url, { modules: [payloadCodecRoutes(undefined)] });
  try {
    const { status, text } = await api.post('/temporal/codec/decode', {}, 'operator');
    expect([status, text]).toEqual([200, '{"payloads":[]}']);
  } finally {
    await api.close();
  }
});
