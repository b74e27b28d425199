// Who is told of a final that comes when its payment is decided.
import { expect, it } from 'vitest';
import { lateFinal, type LateSender } from '../../../core/payments/decision.ts';
import { finalStatuses } from '../../../core/payments/report.ts';

const forwarded = { confirmationMessageId: 'confirmation' } as const;
const senders: readonly LateSender[] = ['untold', 'answered', 'told'];

it('another final than what was decided is a contradiction, whichever way it came (PAY-7)', () => {
  for (const status of finalStatuses) {
    for (const sender of senders) {
      const contradicting = finalStatuses.filter(
        (reported) => lateFinal({ ...forwarded, status }, { status: reported, sender }).isContradiction,
      );
      expect(contradicting).toEqual(finalStatuses.filter((one) => one !== status));
    }
  }
});

it.each([
  ['untold', 'ask'],
  ['answered', 'ask-if-given-up'],
  ['told', null],
] as const)(
  'of a final whose sender is %s, the confirmation: %s, whatever it says (PAY-9)',
  (sender, due) => {
    for (const status of finalStatuses) {
      expect(lateFinal({ ...forwarded, status: 'RJCT' }, { status, sender }).confirmation).toBe(due);
    }
  },
);

it('without a confirmation there is none to ask for (PAY-9)', () => {
  const decision = { status: 'RJCT', confirmationMessageId: null } as const;
  for (const sender of senders) {
    expect(lateFinal(decision, { status: 'RJCT', sender }).confirmation).toBeNull();
  }
});
