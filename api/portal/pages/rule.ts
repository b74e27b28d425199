// The text of a rule that a refusal names.
import { html } from 'hono/html';
import { readAnswer } from '../gateway.ts';
import type { Page, Visit } from '../visit.ts';

export async function rulePage({ t, api, params }: Visit): Promise<Page> {
  const ruleId = params['ruleId'] ?? '';
  const answer = await api.send(`/rules/${encodeURIComponent(ruleId)}`);
  if (!answer.ok) await readAnswer(answer);
  return {
    title: `${t.words.rule} ${ruleId}`,
    main: html`<h1>${t.words.rule} ${ruleId}</h1>
      <section><pre>${await answer.text()}</pre></section>`,
  };
}
