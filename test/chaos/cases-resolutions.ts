// Resolutions whose source is not told, or is told too early that nobody answered (RES-1).
import { drop, moved, row, type Case, type Draft } from './altered.ts';

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
    title: 'the gateway answers before the deadline that nobody answered',
    id: 'R:RES-1',
    alter: (draft) => {
      const answer = answerOf(draft, { rule_id: 'RES-1' });
      answer['answered_at'] = moved(String(answer['answered_at']), -1_000);
    },
  },
];
