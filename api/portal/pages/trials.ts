// The last trial message to each address of a payment system or FX provider, and a button that asks for new ones.
import { html } from 'hono/html';
import type { z } from '@hono/zod-openapi';
import type { trialsSchema } from '../../operations/endpoint-trials.ts';
import { actForm } from '../acts.ts';
import { badge, section, table } from '../elements.ts';
import { time, type Html } from '../format.ts';
import type { Visit } from '../visit.ts';

export type Trials = z.output<typeof trialsSchema>;

export function trialsSection(visit: Visit, trials: Trials): Html {
  const { t, url } = visit;
  return section(
    t.home.trials,
    html`${table(
      [
        { title: t.words.address, cell: (trial) => trial.url },
        { title: t.words.at, cell: ({ askedAt }) => time(askedAt) },
        {
          title: t.words.outcome,
          cell: ({ askedAt, outcome }) =>
            outcome === null && askedAt !== null ? t.payment.running : badge(outcome),
        },
        { title: t.words.answer, cell: ({ says }) => says },
      ],
      trials,
      { t, url, caption: t.home.trialsCaption, empty: t.home.noAddress },
    )}${trials.length === 0 ? '' : actForm(visit, 'trial')}`,
  );
}
