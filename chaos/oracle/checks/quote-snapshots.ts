// QUO-7: by which tier and which improvement each stored quote was made, as the ids of its snapshot say.
import { openImprovements } from '../improvements.ts';
import { rowsOf } from '../rows.ts';
import type { Report } from '../verdict.ts';
import type { World } from '../world.ts';

export function judgeQuoteSnapshots({ evidence, reference, quoteRequests }: World, report: Report): void {
  const { tables } = evidence;
  const rates = new Map(rowsOf(tables, 'rates').map((row) => [row.rate_id, row]));
  const improvements = openImprovements(evidence, reference);
  const ofPsp = new Map(
    rowsOf(tables, 'psp_improvements').map((row) => [`${row.fxp_id} ${row.psp_id}`, row.psp_improvement_id]),
  );
  report.examined('R:QUO-7', 'snapshots', quoteRequests.length);
  for (const request of quoteRequests) {
    const wrong = request.fxp_ids.flatMap((fxp, index) => {
      const [tier, psp] = [request.tier_improvement_ids[index], request.psp_improvement_ids[index]];
      const due = {
        tier: rates.get(request.rate_ids[index] ?? '')?.tier_improvement_id,
        psp: ofPsp.get(`${fxp} ${request.psp_id}`),
      };
      // one that the demo's data has was there all the time; another may have come later
      const isOld = improvements.ofPsp(fxp, request.psp_id, 0).some((points) => !points.isZero());
      const isPspKept = psp === null ? !isOld : psp === due.psp;
      return [
        ...(tier === due.tier ? [] : [`${fxp}: tier ${String(tier)} instead of ${String(due.tier)}`]),
        ...(isPspKept ? [] : [`${fxp}: improvement ${String(psp)} instead of ${String(due.psp)}`]),
      ];
    });
    if (wrong.length > 0)
      report.breach(
        'R:QUO-7',
        'A quote is stored with a tier or an improvement that did not make it.',
        request.quote_request_id,
        wrong,
      );
  }
}
