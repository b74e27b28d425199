// POST /validate says of a paused destination what a submission would hear, or that it did not look (LIF-5, MSG-14).
import { expect, test } from 'vitest';
import { buildPacs008 } from '../../../core/iso20022/build-pacs008.ts';
import { testGateway } from '../../harness/gateway.ts';
import { instruction, ownExchange } from '../../../fixtures/instruction.ts';
import { jsonRoutes } from '../../harness/json-routes.ts';
import { bestQuote, submit } from '../../harness/payer.ts';
import { eventually } from '../../harness/wait.ts';

const gateway = await testGateway();

interface DryRun {
  readonly valid: boolean;
  readonly violations: readonly { readonly id: string }[];
  readonly notJudged: readonly { readonly name: string; readonly ruleId: string }[];
}

async function validate(message: ReturnType<typeof instruction>): Promise<DryRun> {
  const response = await fetch(`${gateway.url}/iso20022/validate`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${await gateway.token('SGDFAST')}`,
      'content-type': 'application/xml',
    },
    body: buildPacs008(message),
  });
  return (await response.json()) as DryRun;
}

const ask = await jsonRoutes(gateway);
const quoted = await bestQuote(gateway);
expect((await ask('POST', '/parties/THBPPAY/pause', { because: 'announced maintenance' })).status).toBe(200);

test.each([
  ['its own exchange', ownExchange()],
  ['a quote', quoted],
] as const)(
  'of a payment with %s the dry run tells of the pause, or that it did not look',
  async (_, terms) => {
    await eventually(async () => {
      const submitted = await submit(gateway, instruction(terms));
      expect(submitted.report?.additionalInformation).toEqual([expect.stringMatching(/^LIF-5 /)]);
    });
    const run = await validate(instruction(terms));
    const tells =
      run.violations.some(({ id }) => id === 'destination-paused') ||
      run.notJudged.some(({ ruleId }) => ruleId === 'LIF-5');
    expect({ valid: run.valid, violations: run.violations, tells }).toMatchObject({ tells: true });
  },
);
