// The list of submissions by state reads slice by slice and misses none (OBS-5).
import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { connect } from '../../../db/pool/connection.ts';
import { recordReceived } from '../../../db/records/messages.ts';
import { listSubmissions } from '../../../db/payments/submission-list.ts';
import type { ListPlace } from '../../../core/list-place.ts';
import { testDatabase } from '../../harness/database.ts';

const database = await testDatabase();
const db = connect(database.url, { applicationName: 'isthmus-test' });
afterAll(() => db.destroy());

const system = 'SGDFAST';
const stored: string[] = [];
for (let index = 0; index < 9; index += 1) {
  const { messageId } = await recordReceived(db, {
    subjectId: randomUUID(),
    type: 'pacs008',
    messageIdentification: `M${index}`,
    leg: 'source',
    party: system,
    answerUrl: 'http://127.0.0.1:9/pacs002',
    body: Buffer.from(`<a>${index}</a>`),
  });
  stored.unshift(messageId);
}
const [, second] = stored;
const isAnswered = (id: string) => id !== second && id !== stored.at(-1);
for (const id of stored.filter(isAnswered)) {
  const answer = {
    message_id: randomUUID(),
    message_type: 'pacs002',
    message_identification: 'A',
    direction: 'out',
  } as const;
  await db
    .insertInto('messages')
    .values({
      ...answer,
      leg: 'source',
      party: system,
      status: 'RJCT',
      in_reply_to: id,
      sha256: Buffer.alloc(32),
      size: 4,
    })
    .execute();
}

/** All pages, each of what one look finds. */
async function pagesOf(limit: number, look: { readonly rows: number; readonly forMs: number }) {
  const pages: string[][] = [];
  let after: ListPlace | undefined;
  do {
    const page = await listSubmissions(db, { states: ['stored'] }, { limit, ...(after && { after }) }, look);
    pages.push(page.submissions.map(({ submissionId }) => submissionId));
    after = page.next;
  } while (after !== undefined);
  return pages;
}

const waiting = stored.filter((id) => !isAnswered(id));

test('a page is what one look finds, however little: the next ones go on where it ended, to the oldest', async () => {
  expect(await pagesOf(50, { rows: 2, forMs: 0 })).toEqual([[waiting[0]], [], [], [], [waiting[1]]]);
});

test('without a state all are listed, each once, page by page', async () => {
  const ids: string[] = [];
  let after: ListPlace | undefined;
  do {
    const page = await listSubmissions(db, {}, { limit: 4, ...(after && { after }) });
    ids.push(...page.submissions.map(({ submissionId }) => submissionId));
    after = page.next;
  } while (after !== undefined);
  expect(ids).toEqual(stored);
});
