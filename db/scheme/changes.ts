// Handles changes of the scheme. An operator proposes a change, a second operator approves it if required,
// and one transaction applies it. Changes are serialized. If two changes edit the same object, the second
// fails because the object has changed.
import { randomUUID } from 'node:crypto';
import { sql, type RawBuilder } from 'kysely';
import { checkEdits, type SchemePolicy } from '../../core/scheme/check.ts';
import { isSame, needsApproval, type SchemeEdit } from '../../core/scheme/change.ts';
import type { Scheme, SchemeKind } from '../../core/scheme/documents.ts';
import type { Finding } from '../../core/scheme/finding.ts';
import { recordAudit } from '../records/audit.ts';
import type { Db } from '../pool/connection.ts';
import { endpointsOf, wantProbes, type ProbeOutcome } from './probes.ts';
import { readScheme } from './read.ts';
import { writeEdits } from './write.ts';

export interface Proposal {
  /** Client id of the proposer, or the name of a command. */
  readonly by: string;
  readonly because: string;
  /** When the change takes effect; null: as soon as possible. */
  readonly effectiveAt: Date | null;
  /** Returns the edits to make, given the current scheme. */
  readonly edits: (scheme: Scheme, trx: Db) => readonly SchemeEdit[] | Promise<readonly SchemeEdit[]>;
}

/** applied: in effect; pending: needs approval; scheduled: takes effect at its time. */
export type Standing = 'applied' | 'pending' | 'scheduled';

export type ProposalOutcome =
  | {
      readonly kind: 'proposed';
      readonly changeId: string;
      readonly state: Standing;
      readonly edits: readonly SchemeEdit[];
      readonly findings: readonly Finding[];
    }
  | { readonly kind: 'unchanged' }
  /** At least one finding is an error. */
  | { readonly kind: 'refused'; readonly findings: readonly Finding[] };

/** Proposes a change. Applies it at once if it needs no approval and is not scheduled for later. */
export function proposeChange(db: Db, proposal: Proposal, policy: SchemePolicy): Promise<ProposalOutcome> {
  return withScheme(db, async (trx, scheme) => {
    const edits = await proposal.edits(scheme, trx);
    if (edits.length === 0) return { kind: 'unchanged' };
    const findings = checkEdits(scheme, edits, { ...policy, by: proposal.by });
    if (findings.some(({ severity }) => severity === 'error')) return { kind: 'refused', findings };
    const changeId = randomUUID();
    const mustBeApproved = policy.fourEyes && edits.some((edit) => needsApproval(edit, proposal.by));
    await sql`
      insert into scheme_changes (change_id, proposed_by, proposed_because, effective_at, needs_approval)
      values (${changeId}, ${proposal.by}, ${proposal.because}, ${proposal.effectiveAt}, ${mustBeApproved})`.execute(
      trx,
    );
    const rows = edits.map(({ kind, id, before, after }, place) => ({
      position: place + 1,
      kind,
      object_id: id,
      before,
      after,
    }));
    await sql`
      insert into scheme_change_edits (change_id, position, kind, object_id, before, after)
      select ${changeId}::uuid, position, kind, object_id, nullif(before, 'null'), nullif(after, 'null')
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
        as t (position int, kind text, object_id text, before jsonb, after jsonb)`.execute(trx);
    await note(trx, { changeId, step: 'proposed', by: proposal.by });
    if (mustBeApproved) await wantProbes(trx, changeId, endpointsOf(edits));
    const state = standingOf(mustBeApproved, proposal.effectiveAt);
    if (state === 'applied') await apply(trx, { changeId, by: proposal.by, edits });
    return { kind: 'proposed', changeId, state, edits, findings };
  });
}

function standingOf(mustBeApproved: boolean, effectiveAt: Date | null): Standing {
  if (mustBeApproved) return 'pending';
  return effectiveAt === null ? 'applied' : 'scheduled';
}

export type Decision = 'approved' | 'refused' | 'withdrawn';

export type DecisionHindrance =
  | { readonly kind: 'unknown' }
  | { readonly kind: 'not-pending'; readonly state: ChangeState }
  /** The proposer tried to approve or refuse the change, or somebody else tried to withdraw it. */
  | { readonly kind: 'wrong-person'; readonly proposedBy: string }
  /** An object has changed since the change was proposed. */
  | { readonly kind: 'outdated'; readonly edits: readonly Pick<SchemeEdit, 'kind' | 'id'>[] }
  /** Endpoints whose trial message failed, or is not answered yet. */
  | { readonly kind: 'untried'; readonly probes: readonly RecordedProbe[] }
  | { readonly kind: 'errors'; readonly findings: readonly Finding[] };

interface DecisionAct {
  readonly changeId: string;
  readonly decision: Decision;
  readonly by: string;
  readonly because: string | null;
  /** Whether to approve the change even if trial messages have failed. */
  readonly despiteProbes?: boolean;
}

/** @returns the reason why the decision was not possible; undefined: it was made */
export function decideChange(
  db: Db,
  { changeId, decision, by, because, despiteProbes = false }: DecisionAct,
  policy: SchemePolicy,
): Promise<DecisionHindrance | undefined> {
  return withScheme(db, async (trx, scheme): Promise<DecisionHindrance | undefined> => {
    const change = await findChange(trx, changeId);
    if (change === undefined) return { kind: 'unknown' };
    const { state, proposedBy, edits } = change;
    const mayStop = state === 'pending' || state === 'scheduled';
    if (decision === 'approved' ? state !== 'pending' : !mayStop) return { kind: 'not-pending', state };
    if ((decision === 'withdrawn') !== (by === proposedBy)) return { kind: 'wrong-person', proposedBy };
    if (decision !== 'approved') {
      await step(trx, { changeId, step: decision, by, because });
      return undefined;
    }
    const outdated = outdatedIn(scheme, edits);
    if (outdated.length > 0) {
      await step(trx, { changeId, step: 'outdated', by, because: null });
      return { kind: 'outdated', edits: outdated };
    }
    const findings = checkEdits(scheme, edits, { ...policy, by: proposedBy });
    const errors = findings.filter(({ severity }) => severity === 'error');
    if (errors.length > 0) return { kind: 'errors', findings: errors };
    const untried = change.probes.filter(({ outcome }) => outcome !== 'answered');
    if (untried.length > 0 && !despiteProbes) return { kind: 'untried', probes: untried };
    await step(trx, { changeId, step: 'approved', by, because });
    if (change.effectiveAt === null || change.effectiveAt <= change.now)
      await apply(trx, { changeId, by, edits });
    return undefined;
  });
}

/**
 * Applies the changes whose time has come.
 * @returns how many were applied, and the ids of those that were not, because an object had changed
 */
export async function applyDueChanges(
  db: Db,
): Promise<{ readonly applied: number; readonly outdated: readonly string[] }> {
  const due = await sql<{ changeId: string }>`
    select change_id as "changeId" from scheme_changes c
    where effective_at <= clock_timestamp() and ${isOpen}
      and (not needs_approval or exists (
        select from scheme_change_steps s where s.change_id = c.change_id and step = 'approved'))
    order by effective_at`.execute(db); // served by index scheme_changes_timed
  let applied = 0;
  const outdated: string[] = [];
  for (const { changeId } of due.rows) {
    await withScheme(db, async (trx, scheme) => {
      const change = await findChange(trx, changeId);
      if (change?.state !== 'scheduled') return; // another process was first
      const { edits, proposedBy: by } = change;
      if (outdatedIn(scheme, edits).length > 0) {
        await step(trx, { changeId, step: 'outdated', by, because: null });
        outdated.push(changeId);
      } else {
        await apply(trx, { changeId, by, edits });
        applied += 1;
      }
    });
  }
  return { applied, outdated };
}

const isOpen = sql`not exists (select from scheme_change_steps s where s.change_id = c.change_id
  and step in ('refused', 'withdrawn', 'applied', 'outdated'))`;

/**
 * Finds the edits whose object has changed since they were proposed. Ignores fx-prices, because an FX
 * provider changes its prices itself.
 */
const outdatedIn = (scheme: Scheme, edits: readonly SchemeEdit[]): readonly SchemeEdit[] =>
  edits.filter(
    ({ kind, id, before }) => kind !== 'fx-prices' && !isSame(scheme[kind].get(id) ?? null, before),
  );

/** Takes a lock that serializes all changes of the scheme. */
function withScheme<Outcome>(db: Db, act: (trx: Db, scheme: Scheme) => Promise<Outcome>): Promise<Outcome> {
  return db.transaction().execute(async (trx) => {
    await sql`select pg_advisory_xact_lock(hashtext('the scheme'))`.execute(trx);
    return act(trx, await readScheme(trx));
  });
}

async function apply(
  trx: Db,
  {
    changeId,
    by,
    edits,
  }: { readonly changeId: string; readonly by: string; readonly edits: readonly SchemeEdit[] },
): Promise<void> {
  await writeEdits(trx, edits);
  await step(trx, { changeId, step: 'applied', by, because: null });
}

interface Step {
  readonly changeId: string;
  readonly step: Decision | 'applied' | 'outdated';
  readonly by: string;
  readonly because: string | null;
}

async function step(trx: Db, { changeId, step: name, by, because }: Step): Promise<void> {
  await sql`insert into scheme_change_steps (change_id, step, done_by, done_because)
    values (${changeId}, ${name}, ${by}, ${because})`.execute(trx);
  await note(trx, { changeId, step: name, by });
}

async function note(trx: Db, detail: { changeId: string; step: string; by: string }): Promise<void> {
  await recordAudit(trx, { kind: 'operator.scheme-change', detail });
}

export type ChangeState = Standing | 'refused' | 'withdrawn' | 'outdated';

/** A trial message to an endpoint. Outcome null: the trial is under way. */
export interface RecordedProbe {
  readonly url: string;
  readonly outcome: ProbeOutcome | null;
  readonly says: string | null;
}

export interface RecordedChange {
  readonly changeId: string;
  readonly state: ChangeState;
  readonly proposedBy: string;
  readonly proposedAt: Date;
  readonly because: string;
  readonly effectiveAt: Date | null;
  readonly needsApproval: boolean;
  readonly steps: readonly {
    readonly step: Step['step'];
    readonly by: string;
    readonly at: string;
    readonly because: string | null;
  }[];
  readonly edits: readonly SchemeEdit[];
  readonly probes: readonly RecordedProbe[];
  /** Current time of the database clock. */
  readonly now: Date;
}

export interface ListedChange extends Omit<RecordedChange, 'edits'> {
  readonly edits: readonly {
    readonly kind: SchemeKind;
    readonly id: string;
    readonly ends: boolean;
    readonly isNew: boolean;
  }[];
}

export interface ChangeFilter {
  readonly states?: readonly ChangeState[];
  /** Selects only changes of objects of this kind, or of the object with this id. */
  readonly kind?: string;
  readonly id?: string;
  readonly changeId?: string;
}

const asEdit = sql`jsonb_build_object('kind', kind, 'id', object_id, 'before', before, 'after', after)`;
/** SQL: an edit without its documents, because an import may have hundreds of edits. */
const asNamed = sql`jsonb_build_object('kind', kind, 'id', object_id, 'ends', after is null, 'isNew', before is null)`;

/**
 * @param object the SQL expression to read for each edit
 * @param isShown the SQL condition for the edits to show
 */
async function readChanges<Change>(
  db: Db,
  { states, kind, id, changeId }: ChangeFilter,
  { object, isShown, limit }: { object: RawBuilder<unknown>; isShown: RawBuilder<unknown>; limit: number },
): Promise<readonly Change[]> {
  const { rows } = await sql<Change>`
    select * from (
      select c.change_id as "changeId", proposed_by as "proposedBy", proposed_at as "proposedAt",
        proposed_because as because, effective_at as "effectiveAt", needs_approval as "needsApproval",
        coalesce(ended.step, case when needs_approval and decided.step is null then 'pending' else 'scheduled' end) as state,
        coalesce((select jsonb_agg(jsonb_build_object('step', step, 'by', done_by, 'at', done_at, 'because', done_because)
          order by done_at)
          from scheme_change_steps s where s.change_id = c.change_id), '[]') as steps,
        (select jsonb_agg(${object} order by position) from scheme_change_edits e
          where e.change_id = c.change_id and ${isShown}) as edits,
        coalesce((select jsonb_agg(jsonb_build_object('url', url, 'outcome', outcome, 'says', says) order by url)
          from endpoint_probes p where p.change_id = c.change_id), '[]') as probes,
        clock_timestamp() as now
      from scheme_changes c
      left join scheme_change_steps ended on ended.change_id = c.change_id
        and ended.step in ('refused', 'withdrawn', 'applied', 'outdated')
      left join scheme_change_steps decided on decided.change_id = c.change_id and decided.step = 'approved'
      where (${changeId ?? null}::uuid is null or c.change_id = ${changeId ?? null}::uuid)
        and (${kind ?? null}::text is null or exists (
          select from scheme_change_edits e where e.change_id = c.change_id and e.kind = ${kind ?? null}
            and (${id ?? null}::text is null or e.object_id = ${id ?? null})))
    ) changes
    where ${states ?? null}::text[] is null or state = any(${states ?? null}::text[])
    order by "proposedAt" desc, "changeId" limit ${sql.lit(limit)}`.execute(db);
  return rows;
}

/** Lists changes, newest first. There is no paging, because people make each change by hand. */
export const listChanges = (db: Db, filter: ChangeFilter, limit: number): Promise<readonly ListedChange[]> =>
  readChanges(db, filter, { object: asNamed, isShown: sql`true`, limit });

const mostOfOne = 500;

/** Lists every change of one object, newest first, with only the edits of that object. */
export const historyOf = (db: Db, kind: SchemeKind, id: string): Promise<readonly RecordedChange[]> =>
  readChanges(
    db,
    { kind, id },
    { object: asEdit, isShown: sql`e.kind = ${kind} and e.object_id = ${id}`, limit: mostOfOne },
  );

export async function findChange(db: Db, changeId: string): Promise<RecordedChange | undefined> {
  const [change] = await readChanges<RecordedChange>(
    db,
    { changeId },
    { object: asEdit, isShown: sql`true`, limit: 1 },
  );
  return change;
}
