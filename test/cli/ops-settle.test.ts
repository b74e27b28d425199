// `isthmus ops settle`, `show` and `enquire` on a payment in doubt, against a running gateway.
import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { enquire, listParties, show } from '../../cli/ops/commands.ts';
import { settle } from '../../cli/ops/settle.ts';
import { writeEvent } from '../harness/events.ts';
import { testGateway } from '../harness/gateway.ts';
import { undecided } from '../harness/reports.ts';
import { opsOn } from './ops-context.ts';

const gateway = await testGateway();
const { db } = gateway;
const { lines, context } = opsOn(gateway);
beforeEach(() => void lines.splice(0));
const text = () => lines.join('\n');
const outcomeRead = () => /--confirm ACCC --outcome ([0-9a-f-]{36})/.exec(text())?.[1] ?? '';
const second = { ISTHMUS_CLIENT_ID: 'operator2', ISTHMUS_CLIENT_SECRET: 'demo-operator2' };

const { uetr } = await undecided(gateway, { priority: 'NORM' });

test('enquire says that it is on record, and what holds it up', async () => {
  await enquire(context(), uetr, {});
  expect(text()).toContain('✓ on record: its destination is to be asked');
  expect(text()).not.toContain('!');
  await sql`update worker_states set at = now() - interval '1 minute'`.execute(db);
  await enquire(context(), uetr, {});
  expect(text()).toMatch(/is not asked twice\.\n! No worker has reported for 30 s/);
  lines.splice(0);
  await listParties(context(), { minutes: '10' });
  expect(lines[0]).toMatch(/^No worker has reported for 30 s/);
});

test('settle: one records, and sees that nothing is decided; another confirms', async () => {
  await expect(settle(context(), uetr, {})).rejects.toThrow('Name one of --status');
  await expect(settle(context(), uetr, { status: 'ACCC' })).rejects.toThrow('--evidence is missing');
  await expect(settle(context(), uetr, { confirm: 'ACCC' })).rejects.toThrow('--outcome is missing');
  await expect(settle(context(), uetr, { withdraw: 'why' })).rejects.toThrow('Nobody has recorded how');
  const credited = { status: 'ACCC', evidence: 'their desk, 04:10 UTC' };
  await expect(settle(context(), uetr, credited)).rejects.toThrow('is not INDOUBT');
  await writeEvent(db, { severity: 'alert', kind: 'payment.in-doubt', subjectId: uetr });

  await settle(context(), uetr, credited);
  expect(text()).toContain('to be confirmed by somebody else');
  const readFirst = outcomeRead();
  await settle(context(second), uetr, { withdraw: 'the wrong payment' });
  expect(text()).toMatch(/withdrawn by operator2, .*: the wrong payment/);
  lines.splice(0);
  await settle(context(), uetr, { status: 'ACCC', evidence: 'on second thoughts' });
  const outcome = outcomeRead();
  // a confirmation is for the outcome that was read, not for the current one
  const stale = settle(context(second), uetr, { confirm: 'ACCC', outcome: readFirst });
  await expect(stale).rejects.toThrow('is withdrawn already');
  await expect(settle(context(), uetr, { confirm: 'ACCC', outcome })).rejects.toThrow(
    'another operator has to confirm it',
  );
  await expect(settle(context(second), uetr, { confirm: 'RJCT', outcome })).rejects.toThrow(
    'The outcome says ACCC',
  );
  lines.splice(0);
  await settle(context(second), uetr, { confirm: 'ACCC', outcome });
  expect(text()).toContain('✓ the payment is ACCC; its parties are being told.');
  lines.splice(0);
  await show(context(), uetr, {});
  expect(lines[1]).toMatch(/^ACCC by operator at 20/);
  expect(text()).toMatch(/operator: ACCC: on second thoughts {2}\(confirmed by operator2, 20/);
});
