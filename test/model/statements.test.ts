// What the model takes a statement for is what the SQL does: for every combination of what a statement reads, its rows
// are put into a real Postgres, the statement is run, and what is there afterwards is what the model says.
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { createValidatePayment } from '../../activities/payments/validate-payment.ts';
import { causeOnRecord } from '../../core/payments/decision.ts';
import type { Db } from '../../db/pool/connection.ts';
import {
  loadDecidable,
  recordDecision as writeDecision,
  withdrawConfirmation as withdraw,
} from '../../db/payments/decisions.ts';
import { askCallbackAgain, askConfirmation as ask, askDeadConfirmation } from '../../db/payments/asks.ts';
import { claimInstruction as claim, settleAttempt } from '../../db/deliveries/deliveries.ts';
import type { OutgoingMessage } from '../../db/records/messages.ts';
import { takeLateFinal, takeReport } from '../../db/payments/reports.ts';
import { ok } from '../../core/result.ts';
import { findUntoldFinals, findOverdue, findUndecided } from '../../db/records/sweep.ts';
import { workbench } from '../activities/workbench.ts';
import { instruction, ownExchange } from '../../fixtures/instruction.ts';
import { firstFinal } from './deciding.ts';
import * as model from './record.ts';
import type { Record } from './record.ts';
import {
  bodyOf,
  combinations,
  inOrder,
  inRows,
  putRows,
  readRows,
  saidIn,
  type Deadline,
  type Subject,
} from './rows.ts';
import { rewritten } from '../harness/rewritten.ts';

const { deps, accepted, store } = await workbench();
const { uetr, deliveryId, messageId } = await accepted();
const subject: Subject = { uetr, deliveryId, messageId, reports: { A: randomUUID(), B: randomUUID() } };
const party = 'THBPPAY';
const creationDateTime = '2026-01-01T00:00:00.000Z';

type Case = readonly [Record, Deadline];

const deadlines: readonly Deadline[] = ['-', 'to come', 'past'];
const withDeadlines = (records: readonly Record[]): readonly Case[] =>
  records.flatMap((record) => deadlines.map((deadline) => [record, deadline] as const));
const withoutDeadline = (records: readonly Record[]): readonly Case[] =>
  records.map((record) => [record, '-']);

/** Runs a statement on each of the cases, and leaves nothing of it. @param work answers what the model says of it */
async function onEach(
  cases: readonly Case[],
  work: (db: Db, record: Record, deadline: Deadline) => Promise<void>,
) {
  await deps.db.transaction().execute(async (db) => {
    for (const [record, deadline] of cases) {
      await sql`savepoint one`.execute(db);
      await putRows(db, subject, record, deadline);
      await work(db, record, deadline);
      await sql`rollback to savepoint one`.execute(db);
    }
  });
}

/** What is there now, and what should be. */
async function compare(db: Db, before: Record, effect: model.Effect, about: unknown): Promise<void> {
  const story = JSON.stringify({ before: inRows(before), about });
  expect(await readRows(db, subject), story).toEqual(inRows({ ...before, ...effect }));
}

const finals = { marked: ['-', 'A', 'B'], stored: ['', 'A', 'B', 'AB', 'BA'] } as const;
const decided = { closed: [false, true], status: ['-', 'RJCT'], decidedBy: ['-', 'deadline'] } as const;
const sent = { attempted: [false, true], possiblySent: [0, 1, 2] } as const;

test('of judgements of one submission that are written at once, one makes the payment, as in the model (DUP-3)', async () => {
  const message = instruction(ownExchange());
  const submission = { messageId: await store(message) };
  const judge = createValidatePayment(deps);
  const judged = await Promise.all(Array.from({ length: 4 }, () => judge(submission)));
  const rows = await deps.db
    .selectFrom('deliveries')
    .select('kind')
    .where('subject_id', '=', message.uetr)
    .execute();
  expect(rows).toEqual([{ kind: 'instruction' }]);
  expect(new Set(judged.map(({ answerMessageId }) => answerMessageId)).size).toBe(1);
});

test('a claim, and its outcome, as the model has them (TIM-1, TIM-3)', async () => {
  await onEach(withDeadlines(combinations({ ...decided, ...sent })), async (db, record, deadline) => {
    const claimed = await claim(db, deliveryId, { round: 'round', claim: randomUUID() });
    const effect = model.claimInstruction(record, deadline === 'past');
    expect(claimed !== undefined).toBe(effect !== undefined);
    await compare(db, record, effect, deadline);
    if (claimed === undefined) return;
    const { attempt, asks } = claimed;
    for (const outcome of ['NOT_SENT', 'MAYBE_SENT', 'ANSWERED'] as const) {
      await sql`savepoint outcome`.execute(db);
      const next =
        outcome === 'ANSWERED' ? ({ kind: 'delivered' } as const) : ({ kind: 'retry', inMs: 0 } as const);
      const nothing = { url: null, httpStatus: null, durationMs: 1, errorClass: null, responseExcerpt: null };
      await settleAttempt(db, { deliveryId, attempt, asks, outcome, next, ...nothing });
      const before = { ...record, ...effect };
      await compare(db, before, model.settleInstruction(before, outcome), outcome);
      await sql`rollback to savepoint outcome`.execute(db);
    }
  });
});

test('a final is stored once, and marked where it is the first of an undecided payment, as the model has it (PAY-7)', async () => {
  await onEach(withoutDeadline(combinations({ ...finals, ...decided })), async (db, record) => {
    for (const report of ['A', 'B'] as const) {
      await sql`savepoint report`.execute(db);
      const payment = await loadDecidable(db, uetr, null);
      const { original } = payment.destinationReferences;
      const values = { messageIdentification: report, creationDateTime, status: saidIn(report), original };
      await takeReport(
        db,
        { ...payment, decision: null },
        { reading: ok(values), body: bodyOf(subject, report), party, inReplyTo: null },
      );
      await compare(db, record, model.recordReport(record, report), report);
      await sql`rollback to savepoint report`.execute(db);
    }
  });
});

test('the first final is the one that the model reads (PAY-7)', async () => {
  await onEach(withoutDeadline(combinations(finals)), async (db, record) => {
    const { firstFinal: found } = await loadDecidable(db, uetr, null);
    const first = firstFinal(record);
    expect(found?.messageId).toBe(first === '-' ? undefined : subject.reports[first]);
  });
});

type Due = Pick<model.NewDecision, 'by' | 'onlyIf' | 'tellsDestination'>;

/** What decides, and whether a minute has passed since acceptance. */
const causes: readonly (Due & { readonly minute: boolean })[] = [
  { by: 'A', onlyIf: null, tellsDestination: false, minute: false },
  { by: 'A', onlyIf: null, tellsDestination: true, minute: true },
  { by: 'deadline', onlyIf: 'past-deadline', tellsDestination: true, minute: false },
  { by: 'unreachable', onlyIf: 'unreachable', tellsDestination: true, minute: false },
  { by: 'unreachable', onlyIf: 'unreachable', tellsDestination: true, minute: true },
];

test('a decision is written, with what derives from it, where the model writes it (PAY-7, PAY-10, TIM-1, TIM-3)', async () => {
  const records = combinations({ marked: ['-', 'A', 'B'], stored: ['', 'AB'], ...decided, ...sent });
  await onEach(withDeadlines(records), async (db, record, deadline) => {
    for (const { minute, ...cause } of causes) {
      if (cause.by === 'A' && record.stored === '') continue; // what decides is stored
      await sql`savepoint cause`.execute(db);
      if (!minute) await rewritten(db, sql`update payments set judged_at = now() where uetr = ${uetr}`);
      const status = cause.by === 'A' ? 'ACCC' : 'RJCT';
      const decision = { ...cause, status, tellsFxProvider: status === 'ACCC' } as const;
      const effect = model.recordDecision(record, decision, { deadline: deadline === 'past', minute });
      expect(await write(db, decision)).toBe(effect?.status !== undefined);
      await compare(db, record, effect, { deadline, cause });
      await sql`rollback to savepoint cause`.execute(db);
    }
  });
});

const message = (type: OutgoingMessage['type']): OutgoingMessage => ({
  ...{ messageId: randomUUID(), subjectId: uetr, type, messageIdentification: 'M', leg: 'source', party },
  body: Buffer.from(randomUUID()),
});

function write(db: Db, { by, status, onlyIf, tellsDestination, tellsFxProvider }: model.NewDecision) {
  const callback = message('pacs002');
  const confirmation = message('pacs002');
  const notification = tellsFxProvider ? message('fxtr017') : null;
  const isReport = by === 'A' || by === 'B';
  return writeDecision(db, {
    ...{
      uetr,
      submissionId: messageId,
      status,
      reasonCode: null,
      onlyIf,
      callback,
      confirmation,
      notification,
    },
    ruleId: by === 'deadline' ? 'TIM-1' : by === 'unreachable' ? 'TIM-3' : null,
    decidedBy: isReport ? 'destination' : 'gateway',
    reportMessageId: isReport ? subject.reports[by] : null,
    outcomeId: null,
    instructionDeliveryId: deliveryId,
    deliveries: [
      { kind: 'callback', message: callback },
      ...(tellsDestination ? [{ kind: 'confirmation', message: confirmation } as const] : []),
      ...(notification === null ? [] : [{ kind: 'notification', message: notification } as const]),
    ],
  });
}

test('a confirmation is withdrawn, or asked for again, where the model does it (TIM-1, PAY-9)', async () => {
  const records = combinations({
    closed: [false, true],
    status: ['-', 'RJCT'],
    decidedBy: ['-', 'deadline', 'B'],
    stored: ['', 'B'],
    attempted: [true],
    possiblySent: [0, 1],
    confirmation: ['none', 'due', 'again', 'delivered', 'dead'],
  });
  await onEach(withoutDeadline(records), async (db, record) => {
    await sql`savepoint withdrawal`.execute(db);
    await withdraw(db, deliveryId);
    await compare(db, record, model.withdrawConfirmation(record), 'withdrawn');
    await sql`rollback to savepoint withdrawal`.execute(db);
    await askDeadConfirmation(db, { uetr, party, reportMessageId: messageId });
    await compare(db, record, model.askDeadConfirmation(record), 'asked for by a final that is posted');
    await sql`rollback to savepoint withdrawal`.execute(db);
    await ask(db, { uetr, messageId, party });
    await compare(db, record, model.askConfirmation(record), 'asked');
  });
});

test('a callback is asked for again, and a contradiction raised once, as the model has it (DUP-1, PAY-7)', async () => {
  const records = combinations({
    ...{ closed: [true], status: ['RJCT'], decidedBy: ['deadline'], stored: ['AB'] },
    callback: ['none', 'due', 'delivered', 'dead'],
  });
  await onEach(withoutDeadline(records), async (db, record) => {
    await askCallbackAgain(db, uetr, () => true);
    const asked = { ...record, ...model.askCallback(record) };
    await compare(db, record, asked, 'callback');
    for (const report of ['A', 'A', 'B'] as const) {
      const { decision } = await loadDecidable(db, uetr, null);
      const told = { messageId: subject.reports[report], status: saidIn(report), reasonCode: null };
      await takeLateFinal(
        db,
        { uetr, destinationSystem: party, decision: decision! },
        { report: told, sender: 'told' },
      );
    }
    await compare(db, asked, model.recordContradiction(asked, 'A'), 'contradiction'); // B says what was decided
  });
});

async function found<Row extends { readonly uetr: string }>(
  rows: AsyncIterable<Row>,
): Promise<Row | undefined> {
  for await (const row of rows) if (row.uetr === uetr) return row;
  return undefined;
}

test('the sweep and the watch find what the model has them find (LIF-2, TIM-1)', async () => {
  const graceMs = -1_000; // none: what is there now is found
  await onEach(withDeadlines(combinations({ ...finals, ...decided })), async (db, record, deadline) => {
    const undecided = await found(findUndecided(db, graceMs));
    expect(undecided !== undefined).toBe(!record.closed);
    if (undecided !== undefined) {
      const first = firstFinal(record);
      const expected = {
        finalReportId: first === '-' ? null : subject.reports[first],
        hasOutcome: false,
        isOverdue: deadline === 'past',
      };
      expect(causeOnRecord(undecided)).toEqual(causeOnRecord(expected));
    }
    const overdue: string[] = [];
    for await (const one of findOverdue(db, graceMs)) overdue.push(one);
    expect(overdue.includes(uetr)).toBe(!record.closed && deadline === 'past');
    const untold = await found(findUntoldFinals(db, { withinMs: 3_600_000, graceMs }));
    const differing = inOrder(record).find((one) => saidIn(one) !== record.status);
    expect(untold?.reportMessageId).toBe(
      record.status === '-' || !differing ? undefined : subject.reports[differing],
    );
  });
});
