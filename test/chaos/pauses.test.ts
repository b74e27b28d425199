// The oracle of chaos/ on what operators pause (LIF-5): who was accepted or quoted all the same, who was refused without
// it, and what of it is on record.
import { rmSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { judge } from '../../chaos/oracle/judge.ts';
import { readEvidence } from '../../chaos/oracle/read-evidence.ts';
import {
  credited,
  draftOf,
  first,
  moved,
  rewrite,
  row,
  rows,
  uetrs,
  type Draft,
  type DraftRow,
} from './altered.ts';
import { listRates } from './cases-readers.ts';
import { unpackCleanEvidence } from './clean-evidence.ts';

const folder = unpackCleanEvidence();
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const clean = readEvidence(folder);

const longBefore = (draft: Draft) => moved(draft.run.startedAt, -60_000);

/** @param resumedAt default: it stands */
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

  it('whose destination had been paused, and had gone on', () => {
    const draft = draftOf(clean);
    const pausedAt = longBefore(draft);
    pause(draft, payment(draft)['destination_clearing_system'], pausedAt, moved(pausedAt, 20_000));
    expect(saidOf(draft)).toEqual([]);
  });
});

describe('a payment that was refused because its destination was paused', () => {
  const wasNot = 'R:LIF-5 A payment was refused for a pause that did not stand.';
  const otherCode = 'R:LIF-5 A pause was told with another code than ED06.';
  const noRecord = 'R:LIF-5 A payment was refused for a pause, and who was paused is not on record.';
  const destination = 'THBPPAY';

  /** One that was refused for something else in the clean run, so that other invariants are broken with it. */
  function refused(draft: Draft, code = 'ED06'): { readonly event: DraftRow; readonly receivedAt: string } {
    const uetr = first(uetrs(draft, { reason_code: 'AB04', decided_by: 'gateway' }));
    const payment = row(draft, 'payments', { uetr });
    const decision = row(draft, 'decisions', { uetr });
    const before = String(decision['reason_code']);
    Object.assign(decision, { rule_id: 'LIF-5', reason_code: code });
    rewrite(draft, payment['answer_message_id'], (text) =>
      text.replace(`<Cd>${before}</Cd>`, `<Cd>${code}</Cd>`),
    );
    const receivedAt = String(payment['judged_at']);
    const event = {
      audit_event_id: '900001',
      occurred_at: receivedAt,
      severity: 'info',
      kind: 'payment.destination-paused',
      subject_id: uetr,
      party: destination,
      detail: {},
    };
    rows(draft, 'audit_events').push(event);
    return { event, receivedAt };
  }

  it('is refused rightly while it was', () => {
    const draft = draftOf(clean);
    const { receivedAt } = refused(draft);
    pause(draft, destination, moved(receivedAt, -2_000), moved(receivedAt, 2_000));
    expect(saidOfPauses(draft)).toEqual([]);
  });

  it('which it was not', () => {
    const draft = draftOf(clean);
    const { receivedAt } = refused(draft);
    pause(draft, destination, moved(receivedAt, -20_000), moved(receivedAt, -10_000));
    expect(saidOfPauses(draft)).toEqual([wasNot]);
  });

  it('with another code', () => {
    const draft = draftOf(clean);
    const { receivedAt } = refused(draft, 'AC04');
    pause(draft, destination, moved(receivedAt, -2_000), moved(receivedAt, 2_000));
    expect(saidOfPauses(draft)).toEqual([otherCode]);
  });

  it('of which the record names somebody else', () => {
    const draft = draftOf(clean);
    const { event, receivedAt } = refused(draft);
    event['party'] = 'PHPIPAY';
    pause(draft, destination, moved(receivedAt, -2_000), moved(receivedAt, 2_000));
    expect(saidOfPauses(draft)).toContain(noRecord);
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
      'R:FX-5 The market rate that was answered is not the best active one.', // it was that provider's
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

describe('what each FX provider is asked for while all of them are paused', () => {
  const pauseAll = (draft: Draft, pausedAt: string) => {
    for (const fxp of new Set(rows(draft, 'rates').map((one) => one['fxp_id']))) pause(draft, fxp, pausedAt);
  };
  /** What is asked at the end of the run. */
  const askedAt = (draft: Draft) => draft.exchanges.at(-1)?.sentAt ?? '';
  const askTooLittle = (draft: Draft, answer: object) => {
    const [path, client] = [
      '/quotes/SG/SGD/TH/THB/SGD/0.01?finInstIdType=BICFI&finInstId=LOTUSGS0',
      'LOTUSGS0',
    ];
    const [sentAt, endedAt] = [draft.run.gatheredAt, moved(draft.run.gatheredAt, 5)];
    const expected = { verdict: 'refused', status: 422 } as const;
    const purpose = 'question/too-small';
    draft.exchanges.push({
      ...first(draft.exchanges.filter(({ method }) => method === 'GET')),
      ...{ path, client, sentAt, endedAt, expected, purpose, ...answer },
    });
  };
  const wrongRates = 'R:FX-9 The rates that were shown are not those that are current.';
  const saidIn = (draft: Draft, id: string) => saidOf(draft).filter((said) => said.startsWith(id));

  it('no rates are shown', () => {
    const draft = draftOf(clean);
    listRates(draft, () => []);
    expect(saidIn(draft, 'R:FX-9')).toEqual([wrongRates]);
    pauseAll(draft, moved(askedAt(draft), -1_000));
    expect(saidIn(draft, 'R:FX-9')).toEqual([]);
  });

  it('rates that are shown all the same are named', () => {
    const draft = draftOf(clean);
    listRates(draft, (shown) => shown);
    expect(saidIn(draft, 'R:FX-9')).toEqual([]);
    pauseAll(draft, moved(askedAt(draft), -6_000));
    expect(saidIn(draft, 'R:FX-9')).toEqual([wrongRates]);
  });

  it('an amount that is too small for a quote gets none, which only a quote would show', () => {
    const draft = draftOf(clean);
    askTooLittle(draft, { status: 200, responseBody: '{"quotes":[]}' });
    expect(saidIn(draft, 'R:SEC-2')).toEqual([
      'R:SEC-2 A message that must be refused with HTTP 422 was not.',
    ]);
    pauseAll(draft, moved(askedAt(draft), -1_000));
    expect(saidIn(draft, 'R:SEC-2')).toEqual([]);
  });
});
