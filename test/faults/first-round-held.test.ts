// The breaker opens on a destination during the first sends of several NORM payments. Each payment that never left
// is rejected after 60 s.
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type { OriginalPacs008 } from '../../core/iso20022/build-pacs008.ts';
import type { Db } from '../../db/pool/connection.ts';
import { setEndpoint } from '../harness/destination.ts';
import { evidenceOf } from '../harness/evidence.ts';
import { testGateway } from '../harness/gateway.ts';
import { instruction } from '../../fixtures/instruction.ts';
import { bestQuote, submit } from '../harness/payer.ts';
import { quietPort } from '../harness/quiet-port.ts';
import { eventually } from '../harness/wait.ts';

// `secondsAgo`: how much of the 60 s is over when the first send begins
const rounds = [
  { secondsAgo: 45, when: 'tried once and then held or not tried at all before' },
  { secondsAgo: 61, when: 'whose first send begins when they are over' },
];
for (const { secondsAgo, when } of rounds) {
  const gateway = await testGateway({
    sweepEveryMs: 1_000,
    prepare: async (db) => {
      await setEndpoint(db, 'IPSO-TH', `http://127.0.0.1:${await quietPort()}`);
      await beginAfter(db, secondsAgo);
    },
  });
  const evidence = evidenceOf(gateway);

  test(`every payment to it is rejected ED06 after 60 s, ${when}`, async () => {
    const messages: OriginalPacs008[] = [];
    for (let count = 0; count < 12; count += 1) {
      const message = instruction(await bestQuote(gateway));
      const { httpStatus, report } = await submit(gateway, message);
      expect([httpStatus, report?.status]).toEqual([200, 'ACTC']);
      messages.push(message);
    }
    // due 15 s after each submission, or at once; the test allows three times that
    const until = Date.now() + 45_000;
    await eventually(
      async () => {
        const decided = await Promise.all(messages.map(({ uetr }) => evidence.decision(uetr)));
        const open = messages.filter((_, index) => decided[index]?.reason_code !== 'ED06');
        const attempts = await Promise.all(open.map(({ uetr }) => evidence.attempts(uetr, 'instruction')));
        expect(attempts, `undecided, ${Math.round((until - Date.now()) / 1000)} s before the end`).toEqual(
          [],
        );
      },
      { limitMs: until - Date.now(), everyMs: 500 },
    );
  });
}

/** Dates the acceptance of every payment back. */
async function beginAfter(db: Db, secondsAgo: number): Promise<void> {
  await sql
    .raw(
      `create function earlier() returns trigger language plpgsql as
        $$ begin new.judged_at := new.judged_at - interval '${secondsAgo} seconds'; return new; end $$;
       create trigger earlier before insert on payments for each row execute function earlier()`,
    )
    .execute(db);
}
