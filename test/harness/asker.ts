// What a source operator does to resolve a proxy or an account in a test: build the acmt.023, submit it, read the
// answer; and what the resolution left behind, at the parties and in the database.
import { randomUUID } from 'node:crypto';
import { buildAcmt023, type OriginalAcmt023 } from '../../fixtures/acmt023.ts';
import { readAcmt024, type Acmt024 } from '../../core/iso20022/acmt024.ts';
import type { JournalEntry } from '../../sandbox/journal-file.ts';
import { resolutionWorkflowId } from '../../contract/ids.ts';
import type { TestGateway } from './gateway.ts';
import { validTree } from '../xml/fixtures.ts';

/** A request for a proxy of Thailand; `changes` replace what a test is about. */
export function proxyRequest(proxyId: string, changes: Partial<OriginalAcmt023> = {}): OriginalAcmt023 {
  return {
    messageIdentification: `ASK${randomUUID().replaceAll('-', '').slice(0, 28)}`,
    creationDateTime: new Date().toISOString(),
    destinationCountry: 'TH',
    verificationId: 'V-1',
    account: { proxy: { type: proxyId.includes('@') ? 'EMAL' : 'MBNO', id: proxyId } },
    assigner: { bicfi: 'LOTUSGS0' },
    ...changes,
  };
}

/** A request about an account of Thailand, at Lotus unless said otherwise. */
export function accountRequest(account: string, changes: Partial<OriginalAcmt023> = {}): OriginalAcmt023 {
  return {
    ...proxyRequest('+66800000001'),
    account: { otherId: account },
    creditorAgent: { bicfi: 'LOTUTHS0' },
    ...changes,
  };
}

export interface Asked {
  readonly httpStatus: number;
  readonly headers: Headers;
  readonly text: string;
  /** Of an acmt.024, valid by our schema and the official one. */
  readonly answer: Acmt024 | undefined;
}

export interface AskOptions {
  readonly callbackUrl?: string;
  /** Who submits: a payment system id. */
  readonly clientId?: string;
}

/** Posts bytes to /iso20022/acmt023 as the source operator. */
export async function askXml(
  gateway: TestGateway,
  xml: string | Uint8Array,
  options: AskOptions = {},
): Promise<Asked> {
  const { clientId = 'SGDFAST' } = options;
  const callbackUrl = options.callbackUrl ?? gateway.sandbox.callbackUrl(clientId, 'acmt024');
  const response = await fetch(
    `${gateway.url}/iso20022/acmt023?acmt024Endpoint=${encodeURIComponent(callbackUrl)}`,
    {
      method: 'POST',
      headers: {
        authorization: `Bearer ${await gateway.token(clientId)}`,
        'content-type': 'application/xml',
      },
      body: xml,
    },
  );
  const text = await response.text();
  return {
    httpStatus: response.status,
    headers: response.headers,
    text,
    answer: response.status === 200 ? await parseAcmt024(text) : undefined,
  };
}

export function ask(
  gateway: TestGateway,
  request: OriginalAcmt023,
  options: AskOptions = {},
): Promise<Asked> {
  const { clientId = 'SGDFAST' } = options;
  const own = { bicfi: `LOTU${clientId.slice(0, 2)}S0` }; // RES-5
  const assigner = request.assigner.bicfi === 'LOTUSGS0' ? own : request.assigner;
  return askXml(gateway, buildAcmt023({ ...request, assigner }), options);
}

/** @throws unless it is valid by our schema and, where it is at hand, by the official one */
export async function parseAcmt024(xml: string | Uint8Array): Promise<Acmt024> {
  const reading = readAcmt024(await validTree('acmt024', xml));
  if (!reading.ok) throw new Error(`not an acmt.024: ${reading.refusal.text}`);
  return reading.value;
}

const waitMs = 45_000; // a busy machine; whoever waits is woken by the event

export interface ResolutionEvidence {
  /** The callback with the same bytes as the answer, when it is there. */
  callback(answer: Asked): Promise<JournalEntry>;
  /** Everything that carries a text, oldest first: a proxy or an account number that no other test uses. */
  about(text: string, kind: 'acmt023' | 'acmt024'): readonly JournalEntry[];
  /** Resolves when the request's execution has come to its end. */
  closed(messageId: string, clientId?: string): Promise<void>;
  row(messageId: string): Promise<ResolutionRow | undefined>;
  attempts(
    messageId: string,
    kind: 'callback' | 'directory-enquiry' | 'account-enquiry',
  ): Promise<readonly { readonly outcome: string | null; readonly http_status: number | null }[]>;
  audit(messageId: string): Promise<readonly string[]>;
}

export interface ResolutionRow {
  readonly resolution_id: string;
  readonly judged_at: Date;
  readonly deadline_at: Date;
  readonly verified: boolean | null;
  readonly reason_code: string | null;
  readonly rule_id: string | null;
  readonly answered_by: string | null;
  readonly answered_at: Date | null;
}

export function resolutionEvidence({ sandbox, db, temporal }: TestGateway): ResolutionEvidence {
  const { journal } = sandbox;
  const textOf = (entry: JournalEntry) => Buffer.from(entry.bytes ?? '').toString('utf8');
  const row = (messageId: string) =>
    db
      .selectFrom('resolutions as r')
      .leftJoin('resolution_answers as a', 'a.resolution_id', 'r.resolution_id')
      .select(['r.resolution_id', 'r.judged_at', 'r.deadline_at', 'a.verified', 'a.reason_code'])
      .select(['a.rule_id', 'a.answered_by', 'a.answered_at'])
      .where('r.message_identification', '=', messageId)
      .executeTakeFirst();
  return {
    callback: ({ text }) =>
      journal.waitFor(
        (entry) => entry.kind === 'acmt024' && isTaken(entry) && textOf(entry) === text,
        waitMs,
      ),
    about: (text, kind) =>
      journal.entries().filter((entry) => entry.kind === kind && textOf(entry).includes(text)),
    closed: async (messageId, clientId = 'SGDFAST') => {
      await temporal.workflow.getHandle(resolutionWorkflowId(clientId, messageId)).result();
    },
    row,
    attempts: async (messageId, kind) =>
      db
        .selectFrom('delivery_attempts as a')
        .innerJoin('deliveries as d', 'd.delivery_id', 'a.delivery_id')
        .select(['a.outcome', 'a.http_status'])
        .where('d.subject_id', '=', (await row(messageId))?.resolution_id ?? '')
        .where('d.kind', '=', kind)
        .orderBy('a.attempt')
        .execute(),
    audit: async (messageId) => {
      const rows = await db
        .selectFrom('audit_events')
        .select('kind')
        .where('subject_id', '=', (await row(messageId))?.resolution_id ?? '')
        .orderBy('audit_event_id')
        .execute();
      return rows.map((one) => one.kind);
    },
  };
}

function isTaken(entry: JournalEntry): boolean {
  return entry.party.startsWith('source/') && entry.direction === 'received' && entry.httpStatus === 200;
}
