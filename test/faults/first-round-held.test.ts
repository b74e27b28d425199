// A destination that refuses connections, and a breaker that opens on it in the middle of first rounds (CBK-3): every
// NORM payment that never left is rejected after 60 s all the same, however few of the retries the breaker lets through
// (TIM-3).
import { sql } from 'kysely';
import { expect, test, vi } from 'vitest';
import type { OriginalPacs008 } from '../../core/iso20022/build-pacs008.ts';
import type { Db } from '../../db/pool/connection.ts';
import { setEndpoint } from '../harness/destination.ts';
import { evidenceOf } from '../harness/evidence.ts';
import { testGateway } from '../harness/gateway.ts';
import { instruction } from '../../fixtures/instruction.ts';
import { bestQuote, submit } from '../harness/payer.ts';
import { quietPort } from '../harness/quiet-port.ts';

// the first sends begin when so many of the 60 seconds are over
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
    // it is due 15 s after each was submitted, or at once; three times that is allowed
    const until = Date.now() + 45_000;
    await vi.waitFor(
      async () => {
        const decided = await Promise.all(messages.map(({ uetr }) => evidence.decision(uetr)));
        const open = messages.filter((_, index) => decided[index]?.reason_code !== 'ED06');
        const attempts = await Promise.all(open.map(({ uetr }) => evidence.attempts(uetr, 'instruction')));
        expect(attempts, `undecided, ${Math.round((until - Date.now()) / 1000)} s before the end`).toEqual(
          [],
        );
      },
      { timeout: until - Date.now(), interval: 500 },
    );
  }, 90_000);
}

/** Makes every payment that is accepted look as if that had been so many seconds earlier. */
async function beginAfter(db: Db, secondsAgo: number): Promise<void> {
  await sql
    .raw(
      `create function earlier() returns trigger language plpgsql as
        $$ begin new.judged_at := new.judged_at - interval '${secondsAgo} seconds'; return new; end $$;
       create trigger earlier before insert on payments for each row execute function earlier()`,
    )
    .execute(db);
}
