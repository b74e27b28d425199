// Tests how the chaos judge treats paused parties: payments and quotes accepted in spite of a pause, and refusals
// without one.
import { rmSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { judge } from '../../chaos/oracle/judge.ts';
import { readEvidence } from '../../chaos/oracle/read-evidence.ts';
import { credited, draftOf, first, moved, row, rows, uetrs, type Draft, type DraftRow } from './altered.ts';
import { unpackCleanEvidence } from './clean-evidence.ts';

const folder = unpackCleanEvidence();
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const clean = readEvidence(folder);

const longBefore = (draft: Draft) => moved(draft.run.startedAt, -60_000);

/** @param resumedAt default: the pause lasts */
function pause(draft: Draft, party: unknown, pausedAt: string, resumedAt: string | null = null): void {
  rows(draft, 'pauses').push({ party_id: party, paused_at: pausedAt, resumed_at: resumedAt });
}

const saidOf = (draft: Draft): readonly string[] => [
  ...new Set(judge(draft).breaches.map(({ id, statement }) => `${id} ${statement}`)),
];

const saidOfPauses = (draft: Draft) => saidOf(draft).filter((said) => said.startsWith('R:LIF-5'));

describe('an accepted payment', () => {
  const accepted = 'R:LIF-5 A payment was accepted for a destination that was paused before it came.';
  const payment = (draft: Draft) => row(draft, 'payments', { uetr: credited(draft) });

  it('whose destination was paused all the time', () => {
    const draft = draftOf(clean);
    pause(draft, payment(draft)['destination_clearing_system'], longBefore(draft));
    expect(saidOf(draft)).toEqual([accepted]);
  });

  it.each([
    ['a second before it came', -1_000],
    ['after it came', 2_000],
  ])('whose destination was paused %s is accepted rightly: nobody had heard of it', (_, ms) => {
    const draft = draftOf(clean);
    const { uetr, destination_clearing_system: destination, judged_at: receivedAt } = payment(draft);
    const pausedAt = moved(String(receivedAt), ms);
    pause(draft, destination, pausedAt, moved(pausedAt, 3_000));
    expect(judge(draft).breaches.filter(({ subject }) => subject === uetr)).toEqual([]);
  });
});

describe('a payment that was refused because its destination was paused', () => {
  const wasNot = 'R:LIF-5 A payment was refused for a pause that did not stand.';
  const destination = 'THBPPAY';

  /** The clean run refused it for another reason, so other invariants break too. */
  function refused(draft: Draft): string {
    const uetr = first(uetrs(draft, { reason_code: 'AB04', decided_by: 'gateway' }));
    Object.assign(row(draft, 'decisions', { uetr }), { rule_id: 'LIF-5', reason_code: 'ED06' });
    return String(row(draft, 'payments', { uetr })['judged_at']);
  }

  it('which it was not', () => {
    const draft = draftOf(clean);
    const receivedAt = refused(draft);
    pause(draft, destination, moved(receivedAt, -20_000), moved(receivedAt, -10_000));
    expect(saidOfPauses(draft)).toEqual([wasNot]);
  });
});

describe('a request for quotes', () => {
  const columns = (request: DraftRow) => Object.values(request).filter((one) => Array.isArray(one));
  const request = (draft: Draft) =>
    rows(draft, 'quote_requests').find((one) => (one['fxp_ids'] as readonly string[]).length > 2) ?? {};

  it('that was answered with a provider that was paused', () => {
    const draft = draftOf(clean);
    pause(draft, (request(draft)['fxp_ids'] as readonly string[])[0], longBefore(draft));
    expect(saidOf(draft)).toEqual([
      'R:LIF-5 A quote was made of a provider that was paused before it was asked for.',
    ]);
  });

  it.each([
    ['rightly, while it was paused', true, 0],
    ['and should not have been', false, 1],
  ])('of whom the last was left out, %s', (_, isPaused, breaches) => {
    const draft = draftOf(clean);
    const asked = request(draft);
    const left = (asked['fxp_ids'] as readonly string[]).at(-1);
    for (const column of columns(asked)) column.pop();
    if (isPaused) pause(draft, left, moved(String(asked['issued_at']), -500), String(asked['issued_at']));
    const said = judge(draft).breaches.filter(
      ({ id, statement }) => id === 'R:QUO-2' && /left out/.test(statement),
    );
    expect(said).toHaveLength(breaches);
  });
});
