// Records every refused message of a party: writes an event, and keeps the bytes, because they may show whether
// somebody credited the account. It does not belong to the payment, and decides nothing.
import { createHash, randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { EventKind } from '../../core/operations/event-kinds.ts';
import { finalStatuses, type FinalStatus } from '../../core/payments/report.ts';
import { insertAudit, isAlert } from './audit.ts';
import type { Db } from '../pool/connection.ts';
import { joinBody } from './messages.ts';
import { bodyColumns, heldKeyId, openBody, seal, type BodyColumns } from '../keys/vault.ts';

/** The fault of a message and the status that it states. The event has it in its detail. */
interface Fault {
  /** In words. Contains no text from the sender. */
  readonly reason?: string | undefined;
  readonly ruleId?: string | undefined;
  /** The status that it states, which may show whether somebody credited. Null: not a valid code; undefined: no XML. */
  readonly reported?: string | null | undefined;
}

export interface RefusedMessage {
  /** UETR of the payment, or id of the resolution. */
  readonly subjectId: string;
  readonly party: string;
  /** Id of our message that it answered; null: it was posted to our address. */
  readonly inReplyTo: string | null;
  readonly body: Buffer;
  readonly fault: Fault;
}

interface Refusal {
  readonly isKept: boolean;
  /** Whether there is an event for each request, or one for each different detail. */
  readonly eachIs: 'request' | 'detail';
  readonly says: readonly (keyof Fault)[];
}

/** Somebody reports on a payment that is not theirs. */
const notTheirs = { eachIs: 'request', says: ['reported'] } as const;
/** We repeat what we ask, so the same refused answer comes with each attempt: it is one event. */
const inAnswer = { isKept: true, eachIs: 'detail' } as const;

/** How each kind of refused message is recorded: by the way that it came, and by its fault. */
const refusals = {
  // a stranger's bytes are not kept: they would take the place of those of the destination
  'report.unknown-payment': { ...notTheirs, isKept: false },
  'report.not-the-destination': { ...notTheirs, isKept: false },
  'report.original-ids-differ': { ...notTheirs, isKept: true },
  // the destination may have acted on it: whoever looks at the payment sees each different fault once
  'report.invalid': { isKept: true, eachIs: 'detail', says: ['ruleId', 'reported'] },
  'destination.answer-refused': { ...inAnswer, says: ['reason', 'reported'] },
  'resolution.answer-refused': { ...inAnswer, says: ['reason'] },
} as const satisfies Partial<Record<EventKind, Refusal>>;

/** Kind of the event for a destination's refused report on its own payment. */
export const reportRefusals = {
  /** Posted to our address: the sender learns the reason from the HTTP answer. */
  request: { invalid: 'report.invalid', mismatch: 'report.original-ids-differ' },
  /** In the HTTP answer to our instruction: the sender learns nothing, so a person must tell it. */
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

/** Events of one party and kind without a final status, and as many with one. The log has a line for each request. */
const mostPerMinute = 60;

/** At most 60 per party and minute. But always the first of a payment, and the first that states each final status. */
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

const mostDetails = 100; // per subject and kind

/** Each detail once, at most 100. But always the first that states each final status. */
const isNewOfFew = (event: Event, final: Final) => {
  const { kind, subjectId, detail } = event;
  return sql`(
    not exists (
      select from audit_events where subject_id = ${subjectId}::uuid and kind = ${kind}
        and detail = ${JSON.stringify(detail)}::jsonb) -- index audit_events_subject_id
    and ((select count(*) from audit_events where subject_id = ${subjectId}::uuid and kind = ${kind}) < ${sql.lit(mostDetails)}
      or ${final !== undefined}::boolean and ${isFirst(event, final)}))`;
};

/** Whether it is the first of its subject, kind and party (with this final status). Index audit_events_subject_id. */
const isFirst = ({ kind, subjectId, party }: Event, final: Final) => sql`not exists (
  select from audit_events where subject_id = ${subjectId}::uuid and kind = ${kind} and party = ${party}
    and (${final ?? null}::text is null or detail ->> 'reported' = ${final ?? null}))`;

const mostPerSubject = 20; // a party may send something else each time

/** Stands for the message type in the seal, because the type of a refused message is unknown. */
const refusedType = 'refused';

/** Once per subject and bytes, at most 20 per subject. But always the first that states each final status. */
async function keepRefused(
  db: Db,
  kind: EventKind,
  { subjectId, party, inReplyTo, body, fault }: RefusedMessage,
): Promise<void> {
  const sha256 = createHash('sha256').update(body).digest();
  const final = finalOf(fault);
  const messageId = randomUUID();
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

/** Reads the bytes of a refused message of a subject. Null: no longer kept; undefined: there is no such message. */
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
