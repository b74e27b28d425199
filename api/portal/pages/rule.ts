// The text of a rule that a refusal names.
import { html } from 'hono/html';
import { Refused } from '../gateway.ts';
import { ownText } from '../markdown.ts';
import type { Page, Visit } from '../visit.ts';

export async function rulePage({ t, api, params }: Visit): Promise<Page> {
  const ruleId = (params['ruleId'] ?? '').toUpperCase();
  const text = await ownText(api, `/rules/${encodeURIComponent(ruleId)}`);
  if (text === undefined) throw new Refused(404, { detail: t.refused.rule });
  return {
    title: `${t.words.rule} ${ruleId}`,
    main: html`<h1>${t.words.rule} ${ruleId}</h1>
      <section class="text">${text}</section>`,
  };
}
