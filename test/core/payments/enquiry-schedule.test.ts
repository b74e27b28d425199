// What of a NORM payment's enquiries and of its source's questions is overdue (TIM-2, DUP-1, LIF-2).
import { describe, expect, test } from 'vitest';
import { isSendOverdue, type Sends } from '../../../core/payments/enquiry-schedule.ts';

const second = 1_000;
const minute = 60 * second;

describe('what an undecided NORM payment owes (TIM-2, LIF-2)', () => {
  const graceMs = 15 * second;
  const owes = (minutes: number, sentMinutes: number | null, rest: Partial<Sends> = {}) =>
    isSendOverdue(
      {
        acceptedAt: 0,
        now: minutes * minute,
        lastSendEndedAt: sentMinutes === null ? null : sentMinutes * minute,
        statusAskedAt: null,
        owedSince: null,
        isInDoubt: false,
        ...rest,
      },
      graceMs,
    );

  test('the first send at once', () => {
    expect([owes(0.2, null), owes(0.25, null), owes(0.25, 0)]).toEqual([false, true, false]);
  });

  test('an enquiry from its time until something was sent, whatever was missed before', () => {
    expect([owes(1.2, 0), owes(1.25, 0), owes(4, 1)]).toEqual([false, true, false]);
    expect([owes(31, 5), owes(31, 30), owes(200, 0), owes(200, 150)]).toEqual([true, false, true, false]);
  });

  test('one that the source asked for; a send that was under way then is joined', () => {
    const asked = { statusAskedAt: 0.5 * minute };
    expect([owes(0.7, 0, asked), owes(0.75, 0, asked)]).toEqual([false, true]);
    expect([owes(0.9, 0.5, asked), owes(0.9, 29.2 / 60, asked), owes(0.9, 28.8 / 60, asked)]).toEqual([
      false,
      false,
      true,
    ]);
  });

  test('one that it has asked for since, again and again, until a send meets the last question', () => {
    const asked = { owedSince: 0.5 * minute, statusAskedAt: 0.7 * minute };
    expect([owes(0.74, 0, asked), owes(0.75, 0, asked)]).toEqual([false, true]);
    expect([owes(0.9, 0.6, asked), owes(0.95, 0.6, asked), owes(0.95, 0.7, asked)]).toEqual([
      false,
      true,
      false,
    ]);
  });

  test('no enquiry, where a send that was under way at its time, or a little before by the clock, made up for it', () => {
    expect([owes(1.5, 62 / 60), owes(1.5, 59 / 60), owes(1.5, 50 / 60)]).toEqual([false, false, true]);
  });

  test('after the last one, the word that it is in doubt', () => {
    const day = 24 * 60;
    const told = { isInDoubt: true };
    expect([owes(day + 1, day), owes(day + 1, day, told), owes(9 * day, day, told)]).toEqual([
      true,
      false,
      false,
    ]);
  });
});
