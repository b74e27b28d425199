// A worker starts on a large record. Reading old messages must not use up the time that a sweep has for judging new
// ones.
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { testGateway } from '../harness/gateway.ts';
import { instruction, ownExchange } from '../../fixtures/instruction.ts';
import { storeOnly } from '../harness/payer.ts';
import { messagesAged } from '../harness/rewritten.ts';
import { eventually } from '../harness/wait.ts';

const pieceMs = 300;
const many = 150_000; // reading them takes longer than pieceMs; production: 10 s, and some million messages within 62 days
const gateway = await testGateway({ worker: false, sweepEveryMs: 500, sweepPieceMs: pieceMs });
const { db } = gateway;

test('a submission that nobody has judged is judged, however much was judged before it', async () => {
  await sql`
    with judged as (
      insert into messages (message_id, subject_id, message_type, message_identification, direction, leg, party, sha256, size, created_at)
      select gen_random_uuid(), gen_random_uuid(), 'pacs008', 'M' || n, 'in', 'source', 'SGDFAST', sha256(n::text::bytea), 0,
        now() - interval '20 days' + n * interval '1 second'
      from generate_series(1, ${sql.lit(many)}) n
      returning message_id, subject_id, created_at
    )
    insert into messages (message_id, subject_id, message_type, message_identification, direction, leg, party, sha256, size, created_at,
      in_reply_to)
    select gen_random_uuid(), subject_id, 'pacs002', 'A', 'out', 'source', 'SGDFAST', '', 0, created_at, message_id from judged`.execute(
    db,
  );
  await sql`vacuum analyze messages`.execute(db);
  const messageId = await storeOnly(gateway, instruction(ownExchange()));
  await messagesAged(db, sql`message_id = ${messageId}`, '5 seconds');
  await gateway.startWorker();
  const isJudged = async () => {
    const { rows } = await sql`select from messages where in_reply_to = ${messageId}`.execute(db);
    return rows.length > 0;
  };
  await eventually(async () => expect(await isJudged()).toBe(true), { everyMs: 250 });
});
