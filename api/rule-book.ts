// GET /rules/{ruleId}: the text of the rule that a refusal names, without authentication. It is read from
// docs/reference/rules.md on the first request.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { z } from '@hono/zod-openapi';
import { problem } from './http/problem.ts';
import { baseHeaders } from './http/response.ts';
import type { Router } from './http/route.ts';

const file = fileURLToPath(new URL('../docs/reference/rules.md', import.meta.url));

/** Markdown by rule, without links, which point to other files of the project. */
function readRules(): ReadonlyMap<string, string> {
  const parts = readFileSync(file, 'utf8').split(/^(?=##)/m);
  return new Map(
    parts.flatMap((part) => {
      const [, ruleId, text] = /^### ([A-Z]+-\d+)\n([^]*)$/.exec(part) ?? [];
      if (ruleId === undefined || text === undefined) return [];
      return [[ruleId, `# ${ruleId}\n${text.replaceAll(/\[([^\][]+)\]\([^()]+\)/g, '$1').trimEnd()}\n`]];
    }),
  );
}

export function ruleBookRoutes(router: Router): void {
  let rules: ReadonlyMap<string, string> | undefined;
  router.addPublic(
    {
      method: 'get',
      path: '/rules/{ruleId}',
      operationId: 'getRule',
      summary: 'The rule that a refusal names',
      description: 'Its text, the reason for it, where it is kept and which test shows it.',
      tag: 'Service',
      request: { params: z.object({ ruleId: z.string().openapi({ example: 'PAY-7' }) }) },
      answers: {
        200: { description: 'The rule', content: { 'text/markdown': { schema: z.string() } } },
        404: { description: 'There is no such rule' },
      },
    },
    (context) => {
      rules ??= readRules();
      const text = rules.get(context.req.param('ruleId') ?? '');
      if (text === undefined) return problem('not-found');
      const headers = { ...baseHeaders, 'content-type': 'text/markdown; charset=utf-8' };
      return new Response(text, { headers });
    },
  );
}
