// Records every refused message of a party. Writes an event, and keeps the bytes, because they may show
// whether the account was credited. A refused message does not belong to the payment, and cannot decide it.
import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { EventKind } from '../../core/operations/event-kinds.ts';
import { finalStatuses, type FinalStatus } from '../../core/payments/report.ts';
import { insertAudit, isAlert } from './audit.ts';
import type { Db } from '../pool/connection.ts';
import { joinBody } from './messages.ts';
import { bodyColumns, heldKeyId, openBody, seal, type BodyColumns } from '../keys/vault.ts';
import { newRowId } from '../pool/row-ids.ts';

/** The fault of a message and the status that the message states. The detail of the event has both. */
interface Fault {
  /** The reason in words, without any text from the sender. */
  readonly reason?: string | undefined;
  readonly ruleId?: string | undefined;
  /**
   * The status that the message states, which may show whether the account was credited. Null: not a valid
   * code; undefined: the message is not XML.
   */
  readonly reported?: string | null | undefined;
}

export interface RefusedMessage {
  /** UETR of the payment, or id of the resolution. */
  readonly subjectId: string;
  readonly party: string;
  /** Id of our message that it answered; null: the party posted it to our address. */
  readonly inReplyTo: string | null;
  readonly body: Buffer;
  readonly fault: Fault;
}

interface Refusal {
  readonly isKept: boolean;
  /** Whether there is one event for each request, or one for each different detail. */
  readonly eachIs: 'request' | 'detail';
  readonly says: readonly (keyof Fault)[];
}

/** A party reports on a payment that does not belong to it. */
const notTheirs = { eachIs: 'request', says: ['reported'] } as const;
/**
 * We repeat our question, so the same refused answer comes with each attempt. All these answers make one
 * event.
 */
const inAnswer = { isKept: true, eachIs: 'detail' } as const;

/**
 * How each kind of refused message is recorded. The kind depends on how the message came, and on its fault.
 */
const refusals = {
  // bytes from a party outside the payment are not kept: they would take the place of the destination's bytes
  'report.unknown-payment': { ...notTheirs, isKept: false },
  'report.not-the-destination': { ...notTheirs, isKept: false },
  'report.original-ids-differ': { ...notTheirs, isKept: true },
  // the destination may have acted on its report, so operators see each different fault once
  'report.invalid': { isKept: true, eachIs: 'detail', says: ['ruleId', 'reported'] },
  'destination.answer-refused': { ...inAnswer, says: ['reason', 'reported'] },
  'resolution.answer-refused': { ...inAnswer, says: ['reason'] },
} as const satisfies Partial<Record<EventKind, Refusal>>;

/** Kind of the event for a destination's refused report on its own payment. */
export const reportRefusals = {
  /** The party posted the report to our address, and learns the reason from our HTTP answer. */
  request: { invalid: 'report.invalid', mismatch: 'report.original-ids-differ' },
  /**
   * The report came in the HTTP answer to our instruction. The party learns nothing, so an operator must
   * inform it.
   */
  answer: { invalid: 'destination.answer-refused', mismatch: 'destination.answer-refused' },
} as const satisfies Record<string, Record<'invalid' | 'mismatch', keyof typeof refusals>>;

/** Records a refused message: keeps its bytes and writes its event, as its kind requires. */
export async function refuseMessage(
  db: Db,
  kind: keyof typeof refusals,
  message: RefusedMessage,
): Promise<void> {
  const { isKept, eachIs, says }: Refusal = refusals[kind];
  const { subjectId, party, fault } = message;
  if (isKept) await keepRefused(db, kind, message);
  const detail = Object.fromEntries(
    says.flatMap((member) => (fault[member] === undefined ? [] : [[member, fault[member]]])),
  );
  const event = { kind, subjectId, party, detail };
  const final = finalOf(fault);
  const isWithin = eachIs === 'detail' ? isNewOfFew(event, final) : isOfMinute(event, final);
  await insertAudit(event, isWithin).execute(db); // seam: refused-message
}

const finalOf = ({ reported }: Fault) => finalStatuses.find((status) => status === reported);

type Event = Pick<RefusedMessage, 'subjectId' | 'party'> & {
  readonly kind: EventKind;
  readonly detail: object;
};
/** Final statuses are counted separately, so that thousands of refused messages cannot hide one. */
type Final = FinalStatus | undefined;

/**
 * Events per minute of one party and kind without a final status, and as many with one. The log has a line
 * for each request.
 */
const mostPerMinute = 60;

/**
 * SQL: whether the limit of 60 per party and minute allows the event. The first event of a payment, and the
 * first with each final status, are always allowed.
 */
const isOfMinute = (event: Event, final: Final) => {
  const { kind, subjectId, party } = event;
  return sql`(
    (select count(*) from (
      select from audit_events e
      where ${isAlert} and e.occurred_at > clock_timestamp() - interval '1 minute' and e.kind = ${kind} and e.party = ${party}
        and coalesce(e.detail ->> 'reported' = any (${[...finalStatuses]}), false) = ${final !== undefined}::boolean
      limit ${sql.lit(mostPerMinute)}) latest) < ${sql.lit(mostPerMinute)} -- index audit_events_alerts
    or exists (select from payments where uetr = ${subjectId}::uuid) and ${isFirst(event, final)})`;
};

const mostDetails = 100; // events per subject and kind

/**
 * SQL: whether the detail is new and there are fewer than 100. The first event with each final status is
 * always allowed.
 */
const isNewOfFew = (event: Event, final: Final) => {
  const { kind, subjectId, detail } = event;
  return sql`(
    not exists (
      select from audit_events where subject_id = ${subjectId}::uuid and kind = ${kind}
        and detail = ${JSON.stringify(detail)}::jsonb) -- index audit_events_subject_id
    and ((select count(*) from audit_events where subject_id = ${subjectId}::uuid and kind = ${kind}) < ${sql.lit(mostDetails)}
      or ${final !== undefined}::boolean and ${isFirst(event, final)}))`;
};

/**
 * SQL: whether there is no event yet of this subject, kind and party (with this final status). Served by
 * index audit_events_subject_id.
 */
const isFirst = ({ kind, subjectId, party }: Event, final: Final) => sql`not exists (
  select from audit_events where subject_id = ${subjectId}::uuid and kind = ${kind} and party = ${party}
    and (${final ?? null}::text is null or detail ->> 'reported' = ${final ?? null}))`;

const mostPerSubject = 20; // messages kept per subject; a party may send different bytes each time

/** Stands for the message type in the seal, because the type of a refused message is unknown. */
const refusedType = 'refused';

/**
 * Keeps the bytes once per subject and content, at most 20 per subject. Always keeps the first message with
 * each final status.
 */
async function keepRefused(
  db: Db,
  kind: EventKind,
  { subjectId, party, inReplyTo, body, fault }: RefusedMessage,
): Promise<void> {
  const sha256 = createHash('sha256').update(body).digest();
  const final = finalOf(fault);
  const messageId = newRowId();
  const sealed = seal(db, [messageId, refusedType, party], body);
  // served by the unique index on (subject_id, sha256)
  await sql`
    with refused as (
    insert into refused_messages (message_id, subject_id, party, in_reply_to, sha256, size, created_at, refused_as, fault)
    select ${messageId}::uuid, ${subjectId}::uuid, ${party}, ${inReplyTo}::uuid, ${sha256}, ${body.length}::int, now(), ${kind},
      ${JSON.stringify(fault)}::jsonb
    where (select count(*) from refused_messages where subject_id = ${subjectId}) < ${sql.lit(mostPerSubject)}
      or ${final !== undefined}::boolean and not exists (
        select from refused_messages where subject_id = ${subjectId} and fault ->> 'reported' = ${final ?? null})
    on conflict (subject_id, sha256) do nothing
    returning message_id, created_at)
    insert into message_bodies (message_id, created_at, body, key_id)
    select message_id, created_at, ${sealed.bytes}::bytea, ${heldKeyId(sealed.keyId)} from refused`.execute(
    db,
  );
}

/** Reads the bytes of a refused message of a subject. Null: they are no longer kept; undefined: no such message. */
export async function refusedBody(
  db: Db,
  subjectId: string,
  messageId: string,
): Promise<Buffer | null | undefined> {
  const { rows } = await sql<BodyColumns>`
    select ${bodyColumns('m', sql.lit(refusedType))} from refused_messages m ${joinBody('m')}
    where m.message_id = ${messageId}::uuid and m.subject_id = ${subjectId}::uuid`.execute(db); // served by the primary key
  const [row] = rows;
  return row && openBody(db, row);
}
