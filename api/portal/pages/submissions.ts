// What a source has sent, and the answers.
import { html } from 'hono/html';
import type { z } from '@hono/zod-openapi';
import type { submissionPageSchema } from '../../payments/submission-list.ts';
import { badge, link, table, uetrLink } from '../elements.ts';
import { time } from '../format.ts';
import { pathWith } from '../gateway.ts';
import type { Texts } from '../texts.ts';
import type { Page, Visit } from '../visit.ts';

type Submissions = z.output<typeof submissionPageSchema>;

/** Null: not yet. */
function answerOf(
  { submissions: words }: Texts,
  { status, verified, isUnanswerable }: Submissions['submissions'][number],
): string | null {
  if (isUnanswerable) return words.unanswerable;
  if (verified === null) return status;
  return verified ? words.verified : words.notVerified;
}

export async function submissionsPage(visit: Visit): Promise<Page> {
  const { t, api, url } = visit;
  const asked = Object.fromEntries(
    ['messageIdentification', 'cursor'].map((name) => [name, url.searchParams.get(name) ?? '']),
  );
  const { submissions, next } = await api.get<Submissions>(
    pathWith('/submissions', { limit: '50', ...asked }),
  );
  const main = html`<h1>${t.nav.submissions}</h1>
    <section>
      <form class="filters" method="get" role="search">
        <div>
          <label for="messageIdentification">MsgId</label
          ><input
            id="messageIdentification"
            name="messageIdentification"
            value="${asked['messageIdentification'] ?? ''}"
          />
        </div>
        <button>${t.words.find}</button>
      </form>
    </section>
    <section>
      ${table(
        [
          {
            key: 'at',
            title: t.words.received,
            cell: ({ storedAt }) => time(storedAt),
            by: ({ storedAt }) => storedAt,
          },
          { title: t.words.message, cell: ({ message }) => message },
          {
            title: 'MsgId',
            cell: ({ messageIdentification }) => html`<code>${messageIdentification}</code>`,
          },
          {
            title: t.words.about,
            cell: ({ subjectId, message }) =>
              message.startsWith('pacs.008') ? uetrLink(subjectId) : html`<code>${subjectId}</code>`,
          },
          { key: 'state', title: t.words.state, cell: ({ state }) => badge(state), by: ({ state }) => state },
          {
            title: t.words.answer,
            cell: (one) => html`${badge(answerOf(t, one))} ${one.reasonCode ?? ''}`,
          },
          { title: t.words.answeredAt, cell: ({ answeredAt }) => time(answeredAt) },
        ],
        submissions,
        { t, url, caption: t.submissions.caption, empty: t.submissions.empty },
      )}${next === null ? '' : link(pathWith('/portal/submissions', { cursor: new URL(next).searchParams.get('cursor') ?? '' }), t.words.next)}
    </section>`;
  return { title: t.nav.submissions, main };
}
