// GET /rules/{ruleId} returns the text of a rule that a refusal names; GET /rules lists all rules. Neither
// needs a token. The texts come from docs/reference/rules.md, which is read on the first request.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { z } from '@hono/zod-openapi';
import { problem } from './http/problems/problem.ts';
import { baseHeaders } from './http/response.ts';
import type { Router } from './http/route.ts';

const file = fileURLToPath(new URL('../docs/reference/rules.md', import.meta.url));

interface RuleBook {
  /** Markdown text by rule id. Links are removed, because they lead to other files of the project. */
  readonly rules: ReadonlyMap<string, string>;
  /** Markdown list of the rule ids, by family. */
  readonly list: string;
}

function readRuleBook(): RuleBook {
  const rules = new Map<string, string>();
  const families = new Map<string, string[]>();
  let ids: string[] = [];
  for (const part of readFileSync(file, 'utf8').split(/^(?=##)/m)) {
    const [, family] = /^## ([A-Z]+: .*)$/m.exec(part) ?? [];
    if (family !== undefined) families.set(family, (ids = []));
    const [, ruleId, text] = /^### ([A-Z]+-\d+)\n([^]*)$/.exec(part) ?? [];
    if (ruleId === undefined || text === undefined) continue;
    ids.push(ruleId);
    rules.set(ruleId, `# ${ruleId}\n${text.replaceAll(/\[([^\][]+)\]\([^()]+\)/g, '$1').trimEnd()}\n`);
  }
  const sections = Array.from(families, ([family, own]) => `## ${family}\n\n${own.join(', ')}\n`);
  return { rules, list: ['# Rules\n\nThe text of each: `GET /rules/{ruleId}`.\n', ...sections].join('\n') };
}

export function ruleBookRoutes(router: Router): void {
  let read: RuleBook | undefined;
  const book = () => (read ??= readRuleBook());
  router.addPublic(
    {
      method: 'get',
      path: '/rules',
      operationId: 'listRules',
      summary: 'The ids of all rules, by family',
      tag: 'Service',
      answers: {
        200: { description: 'The ids', content: { 'text/markdown': { schema: z.string() } } },
      },
    },
    () => markdown(book().list),
  );
  router.addPublic(
    {
      method: 'get',
      path: '/rules/{ruleId}',
      operationId: 'getRule',
      summary: 'The rule that a refusal names',
      description:
        'Its text, the reason for it, where it is kept and which test shows it. The id may be in lower case.',
      tag: 'Service',
      request: { params: z.object({ ruleId: z.string().openapi({ example: 'PAY-7' }) }) },
      answers: {
        200: { description: 'The rule', content: { 'text/markdown': { schema: z.string() } } },
        404: { description: 'There is no such rule' },
      },
    },
    (context) => {
      const text = book().rules.get((context.req.param('ruleId') ?? '').toUpperCase());
      return text === undefined ? problem('unknown-rule') : markdown(text);
    },
  );
}

function markdown(text: string): Response {
  return new Response(text, { headers: { ...baseHeaders, 'content-type': 'text/markdown; charset=utf-8' } });
}
