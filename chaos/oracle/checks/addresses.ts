// I-7: every connection goes to a registered address, and every callback goes to an address that the source
// named.
import { clock, instant, rowsOf } from '../rows.ts';
import { receiverOf } from '../reference.ts';
import type { Report } from '../verdict.ts';
import type { Delivery, World } from '../world.ts';

export function judgeAddresses(world: World, report: Report): void {
  const { run } = world.evidence;
  const registered = new Set(run.registeredOrigins);
  const attempts = world.deliveries.flatMap((delivery) =>
    delivery.attempts.map((attempt) => ({ delivery, attempt })),
  );
  report.examined('I-7', 'attempts', attempts.length);
  for (const { at, address } of run.trapConnections) {
    report.breach('I-7', 'Somebody connected to an address that is not registered.', address, [`at ${at}`]);
  }
  const named = namedCallbacks(world);
  for (const { delivery, attempt } of attempts) {
    const { url, outcome, attempt: number } = attempt.row;
    if (url === null || (outcome === 'NOT_SENT' && isWithoutConnection(attempt.row.error_class))) continue;
    const subject = delivery.row.subject_id;
    const shown = [
      `${delivery.row.kind} attempt ${number} ${clock(attempt.startedAt)} to ${url} (${outcome ?? 'open'})`,
    ];
    const parsed = URL.canParse(url) ? new URL(url) : undefined;
    if (parsed === undefined || !registered.has(parsed.host)) {
      report.breach('I-7', 'An attempt went to an address that was never registered.', subject, shown);
      continue;
    }
    if (delivery.row.kind === 'callback')
      judgeCallback(world, report, { delivery, url, startedAt: attempt.startedAt, named });
  }
}

/**
 * Whether the attempt made no connection, because no address was registered or the name could not be
 * resolved.
 */
function isWithoutConnection(errorClass: string | null): boolean {
  return errorClass === 'no-usable-address' || errorClass?.startsWith('name-') === true;
}

/** An address that a source named for its callbacks, with the time. */
interface Naming {
  readonly url: string;
  readonly at: number;
}

/** Returns the named callback addresses, keyed by message id of the submission. */
function namedCallbacks({ messages, evidence }: World): ReadonlyMap<string, readonly Naming[]> {
  const namings = new Map<string, Naming[]>();
  for (const { row, createdAt } of messages) {
    if (row.answer_url !== null) namings.set(row.message_id, [{ url: row.answer_url, at: createdAt }]);
  }
  const later = rowsOf(evidence.tables, 'callback_addresses');
  for (const { message_id: id, url, named_at: at } of later) namings.get(id)?.push({ url, at: instant(at) });
  return namings;
}

const takesEffectMs = 30_000; // a running delivery may have read the old address this long ago

interface CallbackSent {
  readonly delivery: Delivery;
  readonly url: string;
  readonly startedAt: number;
  readonly named: ReadonlyMap<string, readonly Naming[]>;
}

/** DUP-1: a callback goes to the address that the source named last. */
function judgeCallback(
  world: World,
  report: Report,
  { delivery, url, startedAt, named }: CallbackSent,
): void {
  const subject = delivery.row.subject_id;
  const submission = world.paymentOf.get(subject)?.row.message_id ?? subject;
  const namings = [...(named.get(submission) ?? [])].sort((one, other) => one.at - other.at);
  const shown = [
    `attempt ${clock(startedAt)} to ${url}`,
    ...namings.map((one) => `named ${clock(one.at)}: ${one.url}`),
  ];
  if (!namings.some((one) => one.url === url)) {
    report.breach('I-7', 'A callback went to an address that its source never named.', subject, shown);
    return;
  }
  const receiver = receiverOf(world.reference, delivery.row);
  const last = namings.filter((one) => one.at < startedAt - takesEffectMs).at(-1);
  const sinceLast = namings.filter((one) => last === undefined || one.at >= last.at);
  if (
    !sinceLast.some((one) => one.url === url) &&
    world.quiet.isCalm([receiver], startedAt - takesEffectMs, startedAt)
  ) {
    report.breach(
      'I-7',
      'A callback went to an address that its source had replaced (DUP-1).',
      subject,
      shown,
    );
  }
}
