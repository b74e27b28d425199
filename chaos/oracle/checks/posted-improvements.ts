// What FX providers posted of improvements, and what became of it: answered as it is stored, kept as it was posted last
// (FX-6, FX-7), and a tier's rates made anew at the moment of its improvement (FX-6).
import { faultsOf } from '../compared.ts';
import { corridorOf } from '../corridors.ts';
import { amount, improved, same } from '../decimals.ts';
import type { Exchange } from '../evidence.ts';
import { openImprovements } from '../improvements.ts';
import { parseExactly } from '../read-evidence.ts';
import { shownAs } from '../reference.ts';
import { instant, rowsOf, type RateRow } from '../rows.ts';
import type { Report } from '../verdict.ts';
import type { World } from '../world.ts';

/** The stored record, as the answer shows it. */
interface Answered {
  readonly tierImprovementId?: string;
  readonly pspImprovementId?: string;
  readonly fxpfinInstIdType: string;
  readonly fxpfinInstId: string;
  readonly unitCurrency?: string;
  readonly threshold?: string;
  readonly pspIdType?: string;
  readonly pspId?: string;
  readonly improvementBasisPoints: string;
  readonly updatedDateTime: string;
}

type Posted = Pick<Answered, 'unitCurrency' | 'threshold' | 'pspIdType' | 'pspId' | 'improvementBasisPoints'>;

const kinds = {
  tier: /^\/(api\/v1\/tier_improvements|improvements\/tiers\/)$/,
  psp: /^\/(api\/v1\/psp_improvements|improvements\/psps\/)$/,
};

export function judgePostedImprovements(world: World, report: Report): void {
  const answered = (kind: keyof typeof kinds) =>
    world.evidence.exchanges.filter(
      ({ method, path, status }) => method === 'POST' && status === 200 && kinds[kind].test(path),
    );
  const [tiers, psps] = [answered('tier'), answered('psp')];
  report.examined('R:FX-6', 'answers to tier improvements', tiers.length);
  report.examined('R:FX-7', 'answers to improvements for PSPs', psps.length);
  const rates = rowsOf(world.evidence.tables, 'rates');
  for (const exchange of tiers) {
    judgeTierAnswer(world, report, exchange);
    judgeRenewal(world, report, exchange, rates);
  }
  for (const exchange of psps) judgePspAnswer(world, report, exchange);
  judgeKept(world, report);
}

const answerOf = ({ responseBody = '' }: Exchange) => parseExactly(responseBody) as Answered;
const postOf = ({ requestBody = '' }: Exchange) => JSON.parse(requestBody) as Posted;

const clocksMs = 1_000; // between the sender's reading of the clock and the database's

/**
 * The moment of a change is one while it was made; a repeat may tell that of the first time (FX-10).
 * @param updatedAt of the record, which may have been updated since; absent where moments need not be in order
 */
function momentFaults(
  { sentAt, endedAt, purpose }: Exchange,
  told: string,
  updatedAt?: string,
): readonly string[] {
  const at = instant(told);
  const isNew = purpose.endsWith('-again') || at >= instant(sentAt) - clocksMs;
  const isStored = updatedAt === undefined || at <= instant(updatedAt) + 1;
  if (isNew && isStored && at <= instant(endedAt) + clocksMs) return [];
  return [`updatedDateTime: ${told}, stored ${String(updatedAt)}, sent ${sentAt}`];
}

/** What both answers have. */
function sharedFaults({ reference }: World, exchange: Exchange): readonly string[] {
  const [answer, post] = [answerOf(exchange), postOf(exchange)];
  const named = shownAs(reference.findById('BICFI', exchange.client));
  return faultsOf(
    [
      ['fxpfinInstIdType', answer.fxpfinInstIdType, named.type],
      ['fxpfinInstId', answer.fxpfinInstId, named.id],
    ],
    [['improvementBasisPoints', answer.improvementBasisPoints, post.improvementBasisPoints]],
  );
}

/** FX-6: the answer is the stored record, and that is what was posted. */
function judgeTierAnswer(world: World, report: Report, exchange: Exchange): void {
  const [answer, post] = [answerOf(exchange), postOf(exchange)];
  const fxp = world.reference.findById('BICFI', exchange.client)?.id;
  const row = rowsOf(world.evidence.tables, 'tier_improvements').find(
    (one) =>
      one.fxp_id === fxp && one.unit_currency === post.unitCurrency && same(one.threshold, post.threshold),
  );
  const wrong = [
    ...sharedFaults(world, exchange),
    ...faultsOf(
      [
        ['tierImprovementId', answer.tierImprovementId, row?.tier_improvement_id],
        ['unitCurrency', answer.unitCurrency, post.unitCurrency],
      ],
      [['threshold', answer.threshold, post.threshold]],
    ),
    ...momentFaults(exchange, answer.updatedDateTime, row?.updated_at ?? ''),
  ];
  const statement = 'A tier improvement was not answered as it was posted and stored.';
  if (wrong.length > 0) report.breach('R:FX-6', statement, exchange.client, [...wrong, row]);
}

/** FX-7: the same of an improvement for a PSP. */
function judgePspAnswer(world: World, report: Report, exchange: Exchange): void {
  const [answer, post] = [answerOf(exchange), postOf(exchange)];
  const fxp = world.reference.findById('BICFI', exchange.client)?.id;
  const psp = world.reference.findById(post.pspIdType ?? '', post.pspId ?? '')?.id;
  const row = rowsOf(world.evidence.tables, 'psp_improvements').find(
    (one) => one.fxp_id === fxp && one.psp_id === psp,
  );
  const wrong = [
    ...sharedFaults(world, exchange),
    ...faultsOf([
      ['pspImprovementId', answer.pspImprovementId, row?.psp_improvement_id],
      ['pspIdType', answer.pspIdType, post.pspIdType],
      ['pspId', answer.pspId, post.pspId],
    ]),
    ...momentFaults(exchange, answer.updatedDateTime),
  ];
  const statement = 'An improvement for a PSP was not answered as it was posted and stored.';
  if (wrong.length > 0) report.breach('R:FX-7', statement, exchange.client, [...wrong, row]);
}

const mostDigits = amount('100000000000'); // a rate of more than 11 digits before the point: no message could carry it

/**
 * FX-6: the transaction of the improvement ends the tier's earlier rates, and makes one for each base rate that is
 * active, unless it is of 0 basis points; all of it at the moment that the answer tells, in milliseconds. Changes of one FX provider come one by one.
 */
function judgeRenewal(
  { reference }: World,
  report: Report,
  exchange: Exchange,
  rates: readonly RateRow[],
): void {
  const { unitCurrency, threshold, improvementBasisPoints } = postOf(exchange);
  const from = instant(answerOf(exchange).updatedDateTime) - 1;
  const to = from + 3;
  const fxp = reference.findById('BICFI', exchange.client)?.id;
  const own = rates.filter((row) => row.fxp_id === fxp && row.source_currency === unitCurrency);
  const ofTier = own.filter((row) => same(row.threshold, threshold));
  const isEndedBy = (row: RateRow, at: number) => (instant(row.expired_at) ?? Infinity) <= at;
  const older = ofTier.filter((row) => instant(row.created_at) < from && !isEndedBy(row, to));
  const renewed = new Set(
    ofTier
      .filter((row) => instant(row.created_at) >= from && instant(row.created_at) <= to)
      .map((row) => corridorOf(row)),
  );
  const isEnded = same(improvementBasisPoints, '0'); // then the tier has no rates
  const missing = own.filter(
    (row) =>
      !isEnded &&
      same(row.threshold, '0') &&
      instant(row.created_at) < from &&
      !isEndedBy(row, to) &&
      improved(amount(row.exchange_rate), amount(improvementBasisPoints)).lt(mostDigits) &&
      !renewed.has(corridorOf(row)),
  );
  if (older.length + missing.length === 0) return;
  report.breach('R:FX-6', 'A tier improvement did not renew the active rates.', exchange.client, [
    `posted ${exchange.requestBody ?? ''} ${exchange.sentAt}`,
    `${older.length} older rates stayed active, ${missing.length} base rates got no new one`,
    ...older,
    ...missing,
  ]);
}

/** FX-6, FX-7: what is stored in the end is what was posted last, or may have been. */
function judgeKept({ evidence, reference, quiet }: World, report: Report): void {
  const improvements = openImprovements(evidence, reference);
  const tiers = rowsOf(evidence.tables, 'tier_improvements').map((row) => ({
    row,
    id: 'R:FX-6',
    possible: improvements.ofTier(row.fxp_id, row.unit_currency, amount(row.threshold), quiet.endAt),
  }));
  const psps = rowsOf(evidence.tables, 'psp_improvements').map((row) => ({
    row,
    id: 'R:FX-7',
    possible: improvements.ofPsp(row.fxp_id, row.psp_id, quiet.endAt),
  }));
  report.examined('R:FX-6', 'stored tier improvements', tiers.length);
  report.examined('R:FX-7', 'stored improvements for PSPs', psps.length);
  for (const { row, id, possible } of [...tiers, ...psps]) {
    if (possible.some((points) => points.eq(amount(row.improvement_basis_points)))) continue;
    report.breach(id, 'An improvement is not stored as it was posted last.', row.fxp_id, [
      row,
      ...possible.map((points) => points.toFixed()),
    ]);
  }
}
