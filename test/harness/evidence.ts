// What a payment left behind, at the parties and in the database. Waits are for events, never for time.
import { expect } from 'vitest';
import type { JournalEntry } from '../../sandbox/journal-file.ts';
import { paymentWorkflowId } from '../../contract/ids.ts';
import { officialPresent, validTree } from '../xml/fixtures.ts';
import type { TestGateway } from './gateway.ts';
import { sha256 } from './payer.ts';

const waitMs = 45_000; // a busy machine; whoever waits is woken by the event

export interface Evidence {
  /** Everything that any party journaled about a payment, oldest first. */
  entries(uetr: string): readonly JournalEntry[];
  /** What a kind of party got from the gateway: `source`, `destination`, `fxp`. */
  received(uetr: string, party: Party, kind: 'pacs008' | 'pacs002' | 'fxtr017'): readonly JournalEntry[];
  /** The same, when the first one is there; of that status, if one is named. */
  arrival(
    uetr: string,
    party: Party,
    kind: 'pacs008' | 'pacs002' | 'fxtr017',
    status?: string,
  ): Promise<JournalEntry>;
  /** Resolves when the payment's execution has come to its end. */
  closed(uetr: string): Promise<void>;
  decision(uetr: string): Promise<DecisionRow | undefined>;
  /** Kinds of audit events of a payment, oldest first. */
  audit(uetr: string): Promise<readonly string[]>;
  /** The attempts of one delivery, in order. */
  attempts(
    uetr: string,
    kind: 'instruction' | 'callback' | 'confirmation' | 'notification',
  ): Promise<readonly AttemptRow[]>;
  /** UETR of the payment that holds a quote. */
  quoteHolder(quoteId: string): Promise<string | undefined>;
}

export type Party = 'source' | 'destination' | 'fxp';

export interface DecisionRow {
  readonly status: string;
  readonly reason_code: string | null;
  readonly rule_id: string | null;
  readonly decided_by: string;
  readonly decided_at: Date;
}

export interface AttemptRow {
  readonly started_at: Date;
  readonly outcome: string | null;
  readonly http_status: number | null;
  readonly error_class: string | null;
}

export function evidenceOf({ sandbox, db, temporal }: TestGateway): Evidence {
  const { journal } = sandbox;
  const about = (uetr: string) => journal.entries().filter((entry) => entry.uetr === uetr);
  const fits =
    (uetr: string, party: Party, kind: string, status?: string) =>
    (entry: JournalEntry): boolean =>
      entry.uetr === uetr &&
      entry.direction === 'received' &&
      entry.kind === kind &&
      entry.party.startsWith(`${party}/`) &&
      (status === undefined || entry.status === status);
  return {
    entries: about,
    received: (uetr, party, kind) => about(uetr).filter(fits(uetr, party, kind)),
    arrival: (uetr, party, kind, status) => journal.waitFor(fits(uetr, party, kind, status), waitMs),
    closed: async (uetr) => {
      await temporal.workflow.getHandle(paymentWorkflowId(uetr)).result();
    },
    decision: (uetr) =>
      db
        .selectFrom('decisions')
        .select(['status', 'reason_code', 'rule_id', 'decided_by', 'decided_at'])
        .where('uetr', '=', uetr)
        .executeTakeFirst(),
    audit: async (uetr) => {
      const rows = await db
        .selectFrom('audit_events')
        .select('kind')
        .where('subject_id', '=', uetr)
        .orderBy('audit_event_id')
        .execute();
      return rows.map((row) => row.kind);
    },
    attempts: (uetr, kind) =>
      db
        .selectFrom('delivery_attempts as a')
        .innerJoin('deliveries as d', 'd.delivery_id', 'a.delivery_id')
        .select(['a.started_at', 'a.outcome', 'a.http_status', 'a.error_class'])
        .where('d.subject_id', '=', uetr)
        .where('d.kind', '=', kind)
        .orderBy('a.attempt')
        .execute(),
    quoteHolder: async (quoteId) => {
      const row = await db
        .selectFrom('quote_uses')
        .select('uetr')
        .where('quote_id', '=', quoteId)
        .executeTakeFirst();
      return row?.uetr;
    },
  };
}

/** How many different messages these entries carry. */
export function distinct(entries: readonly JournalEntry[]): number {
  return new Set(entries.map((entry) => sha256(entry.bytes ?? ''))).size;
}

/** The bytes of an entry as text. */
export function textOf(entry: JournalEntry): string {
  return Buffer.from(entry.bytes ?? '').toString('utf8');
}

/**
 * Holds every message that any party sent or received against our schemas, and the official ones where they lie beside
 * the project; and shows that no party saw a rule broken.
 */
export async function expectSoundMessages(gateway: TestGateway): Promise<void> {
  const entries = gateway.sandbox.journal.entries();
  const violations = entries.flatMap(({ violation, uetr = '' }) =>
    violation === undefined || gateway.reported.includes(uetr) ? [] : [`${uetr}: ${violation}`],
  );
  expect(violations).toEqual([]);
  const seen = new Set<string>();
  for (const entry of entries) {
    if (entry.bytes === undefined || entry.kind === 'ledger' || entry.kind === 'unknown') continue;
    if (seen.has(entry.sha256 ?? '')) continue;
    seen.add(entry.sha256 ?? '');
    await validTree(entry.kind, entry.bytes);
  }
  for (const answer of gateway.answers) await validTree('pacs002', answer);
  if (!officialPresent) {
    process.stderr.write(
      '\nNOTE: no official ISO 20022 schemas beside the project; messages were judged by ours only.\n',
    );
  }
}
