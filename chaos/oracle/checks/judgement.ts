// The judgement of each pacs.008 (PAY-3), made again from the message, the scheme's data, the quotes and the clock of
// the database: what was accepted must keep every rule, and what was rejected must break the one that it was told.
import { at, named, textAt } from '../read-message.ts';
import { clock } from '../rows.ts';
import type { Report } from '../verdict.ts';
import type { Payment, World } from '../world.ts';
import { destinationOf } from './forwarded.ts';
import { messageFaults, type Case, type Fault } from './message-faults.ts';
import { termFaults } from './term-faults.ts';

export function judgeJudgements(world: World, report: Report): void {
  const accepted = world.payments.filter(({ row }) => row.accepted);
  const rejected = world.payments.filter(({ row }) => !row.accepted);
  report.examined('R:PAY-4', 'accepted payments judged again', accepted.length);
  report.examined('R:PAY-3', 'rejected payments judged again', rejected.length);
  for (const payment of accepted) {
    for (const { rule, code, text } of faultsOf(world, payment)) {
      const shown = [
        `${code} is due: ${text}`,
        `stored ${clock(payment.submission?.createdAt ?? Number.NaN)}, judged ${clock(payment.judgedAt)}`,
      ];
      report.breach(`R:${rule}`, `A payment was accepted that ${rule} refuses.`, payment.uetr, shown);
    }
  }
  for (const payment of rejected) judgeRejected(world, report, payment);
}

/** Codes of which every cause is looked for below. */
const complete: ReadonlySet<string> = new Set([
  'AB04',
  'AGNT',
  'RC11',
  'AM09',
  'AM02',
  'RC07',
  'TM01',
  'CURR',
  'CH20',
]);

function judgeRejected(world: World, report: Report, payment: Payment): void {
  const { decision, submission, uetr } = payment;
  const code = decision?.reason_code ?? '';
  if (submission?.message?.faults.length !== 0 || !complete.has(code)) return;
  const faults = faultsOf(world, payment);
  if (faults.some((fault) => fault.code === code) || (code === 'AB04' && mayBeInUse(world, payment))) return;
  const found = faults.map((fault) => `${fault.code}: ${fault.text}`);
  report.breach('R:PAY-3', `A payment was rejected with ${code}, and nothing in it says so.`, uetr, [
    decision,
    ...found,
  ]);
}

/** QUO-8: another payment may have held its quote at that moment. */
function mayBeInUse({ payments }: World, { uetr, original, judgedAt }: Payment): boolean {
  const quoteId = textAt(original, 'CdtTrfTxInf/AgrdRate/QtId');
  return payments.some(
    (other) =>
      other.uetr !== uetr &&
      other.row.accepted &&
      textAt(other.original, 'CdtTrfTxInf/AgrdRate/QtId') === quoteId &&
      other.judgedAt < judgedAt + 10_000 &&
      (other.decision?.status !== 'RJCT' || (other.decidedAt ?? Infinity) > judgedAt - 10_000),
  );
}

function faultsOf(world: World, payment: Payment): readonly Fault[] {
  const { original, submission, row } = payment;
  const transaction = at(original, 'CdtTrfTxInf');
  if (transaction === undefined || submission?.message === undefined) {
    return [{ rule: 'MSG-4', code: 'FF01', text: 'it cannot be read' }];
  }
  const schema = submission.message.faults.map((text) => ({ rule: 'MSG-4', code: 'FF01', text }));
  if (schema.length > 0) return schema;
  const destination = destinationOf(world, original);
  const judged: Case = {
    world,
    payment,
    group: at(original, 'GrpHdr'),
    transaction,
    debtorAgent: world.reference.find(at(transaction, 'DbtrAgt'), row.source_clearing_system),
    creditorAgent: world.reference.find(at(transaction, 'CdtrAgt'), destination),
    destination,
    charges: named(transaction, 'ChrgsInf'),
  };
  return [...messageFaults(judged), ...termFaults(judged)];
}
