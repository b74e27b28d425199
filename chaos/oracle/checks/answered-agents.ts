// GET /quotes/{quoteId}/intermediary-agents (endpoint 13): those of the quote, which a message must name (PAY-4), and to
// its PSP alone (QUO-9).
import { faultsOf, type Line } from '../compared.ts';
import { parseExactly } from '../read-evidence.ts';
import type { Reference } from '../reference.ts';
import type { Report } from '../verdict.ts';
import type { World } from '../world.ts';

interface Agent {
  readonly name: string;
  readonly countryCode: string;
  readonly currencyCode: string;
  readonly finInstId: {
    readonly BICFI: readonly string[];
    readonly LEI: string | null;
    readonly otherId: readonly string[] | null;
  };
  readonly account: { readonly otherId: string };
}

type Told = Readonly<Record<'intermediaryAgent1' | 'intermediaryAgent2', Agent>>;

export function judgeAnsweredAgents({ evidence, reference, quotes }: World, report: Report): void {
  const answered = evidence.exchanges.filter(
    ({ method, path, status }) => method === 'GET' && status === 200 && path.endsWith('/intermediary-agents'),
  );
  report.examined('R:QUO-9', 'answered intermediary agents', answered.length);
  for (const { path, client, responseBody = '' } of answered) {
    const quoteId = path.split('/')[2] ?? '';
    const { request, index } = quotes.get(quoteId) ?? {};
    if (request === undefined || index === undefined) {
      report.breach('I-10', 'The agents of a quote were answered that is not stored.', quoteId, [
        responseBody,
      ]);
      continue;
    }
    const told = parseExactly(responseBody) as Told;
    const wrong = faultsOf([
      ['asked by', reference.findById('BICFI', client)?.id, request.psp_id],
      ...agentLines(reference, 'intermediaryAgent1', told.intermediaryAgent1, {
        sap: request.source_sap_ids[index] ?? '',
        account: request.source_account_ids[index] ?? '',
        country: request.source_country,
        currency: request.source_currency,
      }),
      ...agentLines(reference, 'intermediaryAgent2', told.intermediaryAgent2, {
        sap: request.destination_sap_ids[index] ?? '',
        account: request.destination_account_ids[index] ?? '',
        country: request.destination_country,
        currency: request.destination_currency,
      }),
    ]);
    if (wrong.length > 0)
      report.breach(
        'R:QUO-9',
        'The intermediary agents that were told are not those of the quote.',
        quoteId,
        wrong,
      );
  }
}

interface Due {
  readonly sap: string;
  readonly account: string;
  readonly country: string;
  readonly currency: string;
}

function agentLines(reference: Reference, name: string, told: Agent, due: Due): readonly Line[] {
  const sap = reference.institutions.get(due.sap);
  const { BICFI: bics, LEI: lei, otherId } = told.finInstId;
  return [
    [`${name} name`, told.name, sap?.name],
    [`${name} BICFI`, bics.join(' '), sap?.bics.join(' ')],
    [`${name} LEI`, lei, sap?.leis[0] ?? null],
    [`${name} otherId`, otherId?.join(' ') ?? '', sap?.otherIds.join(' ')],
    [`${name} account`, told.account.otherId, due.account],
    [`${name} country`, told.countryCode, due.country],
    [`${name} currency`, told.currencyCode, due.currency],
  ];
}
