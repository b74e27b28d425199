// A message is pasted, and judged without being submitted.
import { html } from 'hono/html';
import type { z } from '@hono/zod-openapi';
import type { dryRunSchema } from '../../payments/dry-run.ts';
import { badge, facts, ruleLink, section, table } from '../elements.ts';
import { readAnswer, Refused } from '../gateway.ts';
import { refusalOf } from '../layout.ts';
import type { Page, Visit } from '../visit.ts';

type DryRun = z.output<typeof dryRunSchema>;

export function checkPage(visit: Visit): Promise<Page> {
  return Promise.resolve({ title: visit.t.nav.check, main: formOf(visit, '') });
}

const formOf = ({ t, csrf }: Visit, message: string) =>
  html`<h1>${t.nav.check}</h1>
    <section>
      <form method="post" action="/portal/check">
        <input type="hidden" name="csrf" value="${csrf}" /> <label for="message">${t.check.paste}</label
        ><textarea id="message" name="message" rows="16" required spellcheck="false">${message}</textarea>
        <button>${t.check.check}</button>
      </form>
    </section>`;

export async function checkMessage(visit: Visit, message: string): Promise<Page> {
  const { t, api, url } = visit;
  const answer = await api.send('/iso20022/validate', {
    method: 'POST',
    headers: { 'content-type': 'application/xml' },
    body: message,
  });
  try {
    const {
      message: name,
      valid,
      refusedAtIntake,
      violations,
      judged,
      codeSets,
    } = await readAnswer<DryRun>(answer);
    const result = section(
      t.check.result,
      html`<p>${valid ? badge('well', t.check.valid) : badge('RJCT', t.check.faults)}</p>
        ${facts([
          [t.words.message, name],
          [t.check.atIntake, refusedAtIntake],
          [t.check.judged, judged.join(', ')],
          [t.parties.codeSets, codeSets.edition],
        ])}
        ${table(
          [
            {
              title: t.words.rule,
              cell: ({ ruleId }) => ruleLink(ruleId),
            },
            { title: t.words.reason, cell: ({ isoCode }) => isoCode },
            { title: t.payment.field, cell: ({ xpath }) => html`<code>${xpath ?? ''}</code>` },
            { title: t.scheme.says, cell: ({ explanation }) => explanation },
          ],
          violations,
          { t, url, caption: t.check.result, empty: t.check.noFault },
        )}`,
    );
    return { title: t.nav.check, main: html`${formOf(visit, message)}${result}` };
  } catch (error) {
    if (!(error instanceof Refused) || error.status === 401) throw error;
    return {
      title: t.nav.check,
      main: html`${formOf(visit, message)}${refusalOf(t, error)}`,
      status: error.status,
    };
  }
}
