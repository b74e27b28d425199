// Plays the sender of foreign messages, who knows nothing but what the dry run tells: from a message of another scheme
// to one that is taken, in few rounds (MSG-13, MSG-14). Only what is told is cured, and each round must tell something
// that helps.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { validateRoutes } from '../../../api/payments/dry-run.ts';
import { createLibxml2Engine } from '../../../xml/libxml2.ts';
import { testDatabase } from '../../harness/database.ts';
import { journeys, type Cure } from './foreign-messages.ts';
import { startApi, type RunningApi } from '../http/running-api.ts';

const database = await testDatabase();
let api: RunningApi;
beforeAll(async () => {
  api = await startApi(database.url, { modules: [validateRoutes(createLibxml2Engine())] });
});
afterAll(() => api.close());

const maxRounds = 5;

interface Told {
  readonly isValid: boolean;
  readonly complaints: readonly string[];
}

/** What one round tells: the detail of a problem, or every violation in its long form. */
async function ask(body: string): Promise<Told> {
  const headers = {
    authorization: `Bearer ${await api.token('SGDFAST')}`,
    'content-type': 'application/xml',
  };
  const answer = await api.request('/iso20022/validate', { method: 'POST', headers, body });
  const { detail, valid, violations } = answer.body as {
    detail?: string;
    valid?: boolean;
    violations?: readonly { readonly xpath: string | null; readonly explanation: string }[];
  };
  if (violations === undefined) return { isValid: false, complaints: [detail ?? ''] };
  return { isValid: valid === true, complaints: violations.map(({ explanation }) => explanation) };
}

/** Does all that it was told; fails where it was told what it can do nothing about. */
function cured(text: string, complaints: readonly string[], cures: readonly Cure[]): string {
  const needed = cures.filter(({ when }) => complaints.some((one) => when.test(one)));
  const useless = complaints.filter((one) => !needed.some(({ when }) => when.test(one)));
  expect(useless, 'told, and of no help').toEqual([]);
  return needed.reduce((cure, { apply }) => apply(cure), text);
}

test.each(journeys)(
  `$name: taken after at most ${maxRounds} rounds of advice`,
  async ({ name, text, cures }) => {
    let current = text;
    const rounds: (readonly string[])[] = [];
    for (;;) {
      const { isValid, complaints } = await ask(current);
      if (isValid) break;
      rounds.push(complaints);
      expect(rounds.length, `${name}\n${JSON.stringify(rounds, undefined, 2)}`).toBeLessThanOrEqual(
        maxRounds,
      );
      const next = cured(current, complaints, cures);
      expect(next, `no cure for ${complaints.join('\n')}`).not.toBe(current);
      current = next;
    }
    expect(rounds.length).toBeGreaterThan(0);
  },
);
