// GET /rules/{ruleId} returns the text of a rule that a refusal names; GET /rules lists all rules.
// GET /alert-kinds/{kind} says what an alert means and what to do. None needs a token. The texts come from docs/reference/rules.md
// and docs/operations/alerts.md, which are read on the first request.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { z } from '@hono/zod-openapi';
import { problem } from './http/problems/problem.ts';
import { baseHeaders } from './http/response.ts';
import type { Router } from './http/route.ts';

const textOf = (file: string) =>
  readFileSync(fileURLToPath(new URL(`../docs/${file}`, import.meta.url)), 'utf8').split(/^(?=##)/m);

/** Without links, because they lead to other files of the project. */
const withoutLinks = (text: string) => text.replaceAll(/\[([^\][]+)\]\([^()]+\)/g, '$1').trimEnd();

interface RuleBook {
  /** Markdown text by rule id. */
  readonly rules: ReadonlyMap<string, string>;
  /** Markdown list of the rule ids, by family. */
  readonly list: string;
}

function readRuleBook(): RuleBook {
  const rules = new Map<string, string>();
  const families = new Map<string, string[]>();
  let ids: string[] = [];
  for (const part of textOf('reference/rules.md')) {
    const [, family] = /^## ([A-Z]+: .*)$/m.exec(part) ?? [];
    if (family !== undefined) families.set(family, (ids = []));
    const [, ruleId, text] = /^### ([A-Z]+-\d+)\n([^]*)$/.exec(part) ?? [];
    if (ruleId === undefined || text === undefined) continue;
    ids.push(ruleId);
    rules.set(ruleId, `# ${ruleId}\n${withoutLinks(text)}\n`);
  }
  const sections = Array.from(families, ([family, own]) => `## ${family}\n\n${own.join(', ')}\n`);
  return { rules, list: ['# Rules\n\nThe text of each: `GET /rules/{ruleId}`.\n', ...sections].join('\n') };
}

function readAlertGuides(): ReadonlyMap<string, string> {
  const guides = new Map<string, string>();
  for (const part of textOf('operations/alerts.md')) {
    const [, kind, text] = /^### `([a-z.-]+)`\n([^]*)$/.exec(part) ?? [];
    if (kind !== undefined && text !== undefined) guides.set(kind, `# ${kind}\n${withoutLinks(text)}\n`);
  }
  return guides;
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
  addAlertGuides(router);
}

function addAlertGuides(router: Router): void {
  let read: ReadonlyMap<string, string> | undefined;
  router.addPublic(
    {
      method: 'get',
      path: '/alert-kinds/{kind}',
      operationId: 'getAlertKind',
      summary: 'What an alert of this kind means, and what to do',
      tag: 'Service',
      request: { params: z.object({ kind: z.string().openapi({ example: 'payment.in-doubt' }) }) },
      answers: {
        200: {
          description: 'What it means, what it says about money, what to do, when to close it',
          content: { 'text/markdown': { schema: z.string() } },
        },
        404: { description: 'There is no such kind of alert' },
      },
    },
    (context) => {
      const text = (read ??= readAlertGuides()).get(context.req.param('kind') ?? '');
      return text === undefined ? problem('not-found') : markdown(text);
    },
  );
}

function markdown(text: string): Response {
  return new Response(text, { headers: { ...baseHeaders, 'content-type': 'text/markdown; charset=utf-8' } });
}
