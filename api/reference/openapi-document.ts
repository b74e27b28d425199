// Builds the OpenAPI 3.1 document from the route definitions, and adds the messages that the service sends as
// webhooks.
import type { OpenAPIHono } from '@hono/zod-openapi';
import { messageExamples, readExample, type MessageExample } from '../examples.ts';
import { problemExample, problemExampleName } from '../http/problems/problem-examples.ts';
import { problemBody } from '../http/problems/problem.ts';
import { problems, type ProblemCode } from '../http/problems/problems.ts';
import { webhooks } from './webhooks.ts';

const description = `Coordinates instant payments between national payment systems: reference data, fees, rates, quotes, and ISO 20022 submission.

Amounts and rates are exact decimals: read JSON numbers as decimals, not as binary floating point.
Errors are \`application/problem+json\` (RFC 9457) with a stable \`code\` and, where one applies, the rule (\`ruleId\`), whose text is at \`/rules/{ruleId}\`.
\`x-roles\` names who may call an operation. \`webhooks\` are the messages that Isthmus sends to each party, with the possible answers.`;

/** Registers each example once under `components`, because many operations share them. */
function registerExamples(registry: OpenAPIHono['openAPIRegistry']): void {
  for (const [name, summary] of Object.entries(messageExamples)) {
    registry.registerComponent('examples', name, { summary, value: readExample(name as MessageExample) });
  }
  for (const code of Object.keys(problems) as ProblemCode[]) {
    const value: unknown = JSON.parse(problemBody(problemExample(code)));
    registry.registerComponent('examples', problemExampleName(code), {
      summary: problems[code].title,
      value,
    });
  }
}

/** @param publicUrl the address at which clients reach the service */
export function openApiDocument(app: OpenAPIHono, publicUrl: string, version: string) {
  if (!app.openAPIRegistry.definitions.some((definition) => definition.type === 'component')) {
    app.openAPIRegistry.registerComponent('securitySchemes', 'oauth2', {
      type: 'oauth2',
      description: 'Client credentials; JWT access tokens (RFC 9068)',
      flows: { clientCredentials: { tokenUrl: `${publicUrl}/oauth/token`, scopes: {} } },
    });
    registerExamples(app.openAPIRegistry);
    for (const webhook of webhooks) app.openAPIRegistry.registerWebhook(webhook);
  }
  return app.getOpenAPI31Document({
    openapi: '3.1.0',
    info: {
      title: 'Isthmus',
      version,
      description,
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    servers: [{ url: publicUrl }],
    tags: [
      { name: 'Reference data', description: 'Countries, currencies, address forms, institutions' },
      { name: 'Quotes', description: 'Ranked FX quotes and their intermediary agents' },
      { name: 'Fees', description: 'Fee formulas, fees and amounts' },
      { name: 'Rates', description: 'Rates that FX providers post, and what PSPs see of them' },
      { name: 'ISO 20022', description: 'Messages between payment systems' },
      { name: 'Payments', description: 'Lists of payments, and the record of each' },
      { name: 'Alerts', description: 'What a person must look at, and who does' },
      { name: 'Operations', description: 'What operators do: ask again, settle, pause' },
      { name: 'Scheme', description: 'Members, endpoints, accounts, fees, clients, and their changes' },
      { name: 'Reconciliation', description: 'The books of a period' },
      { name: 'Service', description: 'Tokens, health, this document' },
    ],
  });
}
