// Resolutions that are answered wrongly, too early, or without asking who must be asked (RES-1, RES-2, DUP-1).
import { drop, first, moved, row, rows, textOf, type Case, type Draft } from './altered.ts';

const answerOf = (draft: Draft, values: Record<string, unknown>) => row(draft, 'resolution_answers', values);

export const resolutionCases: readonly Case[] = [
  {
    title: 'a resolution is not told at the address that its source named',
    id: 'R:RES-1',
    also: ['I-11', 'I-17'],
    alter: (draft) => {
      const { resolution_id: id } = answerOf(draft, { answered_by: 'creditor-agent' });
      drop(draft, 'deliveries', { subject_id: id, kind: 'callback' });
    },
  },
  {
    title: 'a resolution has a longer deadline',
    id: 'R:RES-1',
    alter: (draft) => {
      const { resolution_id: id } = answerOf(draft, { answered_by: 'creditor-agent' });
      const resolution = row(draft, 'resolutions', { resolution_id: id });
      resolution['deadline_at'] = moved(String(resolution['deadline_at']), 4_000);
    },
  },
  {
    title: 'the gateway answers before the deadline that nobody answered',
    id: 'R:RES-1',
    alter: (draft) => {
      const answer = answerOf(draft, { rule_id: 'RES-1' });
      answer['answered_at'] = moved(String(answer['answered_at']), -1_000);
    },
  },
  {
    title: 'a creditor agent that confirms accounts is not asked',
    id: 'R:RES-2',
    alter: (draft) => {
      row(draft, 'institutions', { institution_id: 'TH-BANY' })['supports_acmt023'] = true;
    },
  },
  {
    title: 'a resolution that is asked again after its answer does not have it told again',
    id: 'R:DUP-1',
    alter: (draft) => {
      const { resolution_id: id } = answerOf(draft, { answered_by: 'creditor-agent' });
      const question = first(draft.exchanges.filter(({ requestBody }) => requestBody === textOf(draft, id)));
      const [sentAt, endedAt] = [moved(question.endedAt, 20_000), moved(question.endedAt, 20_020)];
      draft.exchanges.push({ ...question, sentAt, endedAt, purpose: 'resolution-repeat' });
      draft.run.gatheredAt = moved(draft.run.gatheredAt, 45_000);
    },
  },
  {
    title: 'what a directory found at an agent that is not onboarded is asked of that agent',
    id: 'R:RES-2',
    also: ['R:PAY-6'],
    alter: (draft) => {
      const asked = rows(draft, 'deliveries').filter((one) => one['kind'] === 'directory-enquiry');
      const ids = new Set(asked.map((one) => one['subject_id']));
      const answer = first(
        rows(draft, 'resolution_answers').filter(
          (one) =>
            ids.has(one['resolution_id']) && one['answered_by'] === 'creditor-agent' && one['verified'],
        ),
      );
      const agent = /LOTU(..)S0/.exec(textOf(draft, answer['report_message_id']))?.[1] ?? 'TH';
      row(draft, 'institutions', { institution_id: `${agent}-LOTU` })['onboarded'] = false;
    },
  },
];
