// Another question under the MsgId of one whose execution still runs, because its source does not take the answer
// (CBK-1): it is judged all the same, whoever brings it (LIF-2).
import { sql } from 'kysely';
import { expect, test, vi } from 'vitest';
import { recordReceived } from '../../db/records/messages.ts';
import { buildAcmt023 } from '../../fixtures/acmt023.ts';
import { accountRequest, ask } from '../harness/asker.ts';
import { testGateway } from '../harness/gateway.ts';

const gateway = await testGateway({ sweepEveryMs: 500, standstillMs: 500 });
const { db, sandbox } = gateway;

for (const takesIt of [true, false]) {
  const how = takesIt ? '' : ', although the source of the first does not take its answer';
  test(`one that was stored and brought to nobody is judged by the sweep${how}`, async () => {
    if (!takesIt) sandbox.source.refuse({ status: 503 });
    const request = accountRequest('5550000001');
    expect((await ask(gateway, request)).httpStatus).toBe(200);
    const { messageId } = await recordReceived(db, {
      type: 'acmt023',
      messageIdentification: request.messageIdentification,
      leg: 'source',
      party: 'SGDFAST',
      answerUrl: sandbox.callbackUrl('SGDFAST', 'acmt024'),
      body: Buffer.from(buildAcmt023({ ...request, verificationId: 'V-2' })),
    });
    const judged = async () => {
      const { rows } = await sql`select from refusals where message_id = ${messageId}`.execute(db);
      return rows.length;
    };
    await vi.waitFor(async () => expect(await judged()).toBe(1), { timeout: 30_000, interval: 250 });
  }, 60_000);
}
