// The one entrance for what a party sent and what does not count: on record by an event, and kept byte for
// byte, because it may tell whether somebody credited, and shown to operators. It is no message of the payment, and
// nothing is decided by it.
import { createHash, randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { EventKind } from '../../core/operations/event-kinds.ts';
import { finalStatuses, type FinalStatus } from '../../core/payments/report.ts';
import { insertAudit, isAlert } from './audit.ts';
import type { Db } from '../pool/connection.ts';
import { joinBody } from './messages.ts';
import { bodyColumns, heldKeyId, openBody, seal, type BodyColumns } from '../keys/vault.ts';

/** What is wrong with it, and what it states: the detail of its event. */
interface Fault {
  /** In words, without the sender's text. */
  readonly reason?: string | undefined;
  readonly ruleId?: string | undefined;
  /** The status that it states, for whoever must find out whether somebody credited; null: no code; undefined: no XML. */
  readonly reported?: string | null | undefined;
}

export interface RefusedMessage {
  /** UETR of the payment, or id of the resolution, that it was about. */
  readonly subjectId: string;
  readonly party: string;
  /** Id of the message of ours that it answered; null: it came to our address. */
  readonly inReplyTo: string | null;
  readonly body: Buffer;
  readonly fault: Fault;
}

interface Refusal {
  /** Whether its bytes are kept. */
  readonly isKept: boolean;
  /** An event for each request, or one for as long as it says the same. */
  readonly eachIs: 'request' | 'detail';
  readonly says: readonly (keyof Fault)[];
}

/** Somebody tries what is not theirs. */
const notTheirs = { eachIs: 'request', says: ['reported'] } as const;
/** What we asked is asked again: not an alert per attempt. */
const inAnswer = { isKept: true, eachIs: 'detail' } as const;

/** What a message that does not count is on record as: by the way that it came, and by what is wrong with it. */
const refusals = {
  // nothing of a stranger's is kept: it would take the room of what the destination sends
  'report.unknown-payment': { ...notTheirs, isKept: false },
  'report.not-the-destination': { ...notTheirs, isKept: false },
  'report.original-ids-differ': { ...notTheirs, isKept: true },
  // its destination may have acted on it: whoever looks at the payment sees each fault once
  'report.invalid': { isKept: true, eachIs: 'detail', says: ['ruleId', 'reported'] },
  'destination.answer-refused': { ...inAnswer, says: ['reason', 'reported'] },
  'resolution.answer-refused': { ...inAnswer, says: ['reason'] },
} as const satisfies Partial<Record<EventKind, Refusal>>;

/** A destination's report on its own payment: which of them it is. */
export const reportRefusals = {
  /** At our address; its sender learns why from the answer. */
  request: { invalid: 'report.invalid', mismatch: 'report.original-ids-differ' },
  /** In the answer to our instruction; its sender learns nothing, so a person must tell it. */
  answer: { invalid: 'destination.answer-refused', mismatch: 'destination.answer-refused' },
} as const satisfies Record<string, Record<'invalid' | 'mismatch', keyof typeof refusals>>;

/** Takes down a message that does not count, whichever way it came: what is kept of it, and who is told. */
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
/** Whoever sends what does not count by the thousand must not hide that one of them says how a payment ended. */
type Final = FinalStatus | undefined;

/** Of a party and a kind, and as many that state a final status: the log has a line for each request. */
const mostPerMinute = 60;

/** Few of a party in a minute; but of a payment always the first, and the first that states each final status. */
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

const mostDetails = 100; // of a subject and kind

/** Each detail once, and not without end; but always the first that states each final status. */
const isNewOfFew = (event: Event, final: Final) => {
  const { kind, subjectId, detail } = event;
  return sql`(
    not exists (
      select from audit_events where subject_id = ${subjectId}::uuid and kind = ${kind}
        and detail = ${JSON.stringify(detail)}::jsonb) -- index audit_events_subject_id
    and ((select count(*) from audit_events where subject_id = ${subjectId}::uuid and kind = ${kind}) < ${sql.lit(mostDetails)}
      or ${final !== undefined}::boolean and ${isFirst(event, final)}))`;
};

/** Index audit_events_subject_id. */
const isFirst = ({ kind, subjectId, party }: Event, final: Final) => sql`not exists (
  select from audit_events where subject_id = ${subjectId}::uuid and kind = ${kind} and party = ${party}
    and (${final ?? null}::text is null or detail ->> 'reported' = ${final ?? null}))`;

const mostPerSubject = 20; // a party may send something else each time

/** Of what does not count nobody knows the type. */
const refusedType = 'refused';

/** Once per subject and bytes, and no more than 20 of one subject; but always the first that states each final status. */
async function keepRefused(
  db: Db,
  kind: EventKind,
  { subjectId, party, inReplyTo, body, fault }: RefusedMessage,
): Promise<void> {
  const sha256 = createHash('sha256').update(body).digest();
  const final = finalOf(fault);
  const messageId = randomUUID();
  const sealed = seal(db, [messageId, refusedType, party], body);
  // unique (subject_id, sha256)
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

/** The bytes of one of those of a subject; null: they are no longer kept; undefined: there is none. */
export async function refusedBody(
  db: Db,
  subjectId: string,
  messageId: string,
): Promise<Buffer | null | undefined> {
  const { rows } = await sql<BodyColumns>`
    select ${bodyColumns('m', sql.lit(refusedType))} from refused_messages m ${joinBody('m')}
    where m.message_id = ${messageId}::uuid and m.subject_id = ${subjectId}::uuid`.execute(db); // primary key
  const [row] = rows;
  return row && openBody(db, row);
}
