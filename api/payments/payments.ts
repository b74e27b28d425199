// GET /payments/{uetr} and GET /payments/{uetr}/messages/{messageId} show the record of a payment to its
// sides and to operators. They change nothing. Other callers do not learn that the payment exists (as in
// QUO-9).
import { createHash } from 'node:crypto';
import { z } from '@hono/zod-openapi';
import { assert } from '../../core/assert.ts';
import {
  mayHaveBeenSeen,
  ofParty,
  refusalOf,
  submissionOf,
  withoutExchange,
  type EvidenceMessage,
  type PaymentEvidence,
} from '../../core/payments/evidence.ts';
import { uuidV4Pattern } from '../../core/ids.ts';
import type { XmlElement } from '../../core/iso20022/tree.ts';
import { compareMessages } from '../../core/rejections/message-difference.ts';
import type { JsonObject } from '../../core/money/money.ts';
import { openOrTell } from '../../db/records/changed-messages.ts';
import { loadEvidence, loadEvidenceAbout } from '../../db/payments/evidence.ts';
import { messageBody } from '../../db/records/messages.ts';
import { refusedBody } from '../../db/records/refused-messages.ts';
import type { XmlEngine } from '../../xml/engine.ts';
import type { Caller } from '../http/caller.ts';
import type { ApiDependencies, RouteModule } from '../dependencies.ts';
import { evidenceSchema } from './payment-schemas.ts';
import { hindrancesOf } from '../operations/hindrances.ts';
import { storedMessageAnswer } from './message-documents.ts';
import { uuid } from '../http/input/parameters.ts';
import { isProblem, problem, type Problem } from '../http/problems/problem.ts';
import { renderEvidence, type EvidenceView, type View } from './render-evidence.ts';
import { baseHeaders, json } from '../http/response.ts';
import { xml } from '../http/xml-message.ts';
import { withoutPayment } from './without-payment.ts';

const roles = ['operator', 'ipso', 'psp'] as const;
const uetr = z
  .string()
  .regex(uuidV4Pattern, 'must be a lower-case UUID v4, as in 6f1f3a52-9d0c-4f7e-8a43-2f4b7a1c9e01')
  .openapi({ format: 'uuid', example: '6f1f3a52-9d0c-4f7e-8a43-2f4b7a1c9e01' });
const messageId = uuid.openapi({ format: 'uuid', description: 'messageId of the timeline' });

export function paymentRoutes(engine: XmlEngine): RouteModule {
  return (router, deps) => {
    router.add(
      {
        method: 'get',
        path: '/payments/{uetr}',
        operationId: 'getPayment',
        summary: 'The record of a payment',
        description:
          'For operators, the payment systems on either side, and the debtor and creditor agents. Every message, the ' +
          'decision, every delivery with its attempts, and each difference between the received and the forwarded ' +
          'pacs.008, with its rule. An enquiry of the source with the same bytes (DUP-1) is no message of its own: it shows as ' +
          'further attempts of the instruction, or of the callback.',
        tag: 'Payments',
        roles,
        params: z.object({ uetr }),
        problems: ['unknown-payment'],
        answer: { description: 'The evidence', schema: evidenceSchema },
      },
      async ({ params, caller }) => {
        const seen = await openEvidence(deps, params.uetr, caller, () => loadEvidence(deps.db, params.uetr));
        if (isProblem(seen)) return seen;
        const { evidence, view } = seen;
        const compared = await differenceOf(deps, engine, evidence);
        const hindrances = view.isOperator ? await whatHoldsUp(deps, evidence) : null;
        const now = new Date();
        return json(renderEvidence(params.uetr, evidence, { ...view, ...compared, now, hindrances }));
      },
    );
    router.add(
      {
        method: 'get',
        path: '/payments/{uetr}/messages/{messageId}',
        operationId: 'getPaymentMessage',
        summary: 'The stored bytes of a message of a payment',
        description:
          'Byte for byte as received or sent; ETag is the SHA-256 in hexadecimal, Repr-Digest the same in the form of RFC 9530. ' +
          'A side reads the messages of its own leg; operators read all, and those of `refusedMessages` (application/octet-stream).',
        tag: 'Payments',
        roles,
        params: z.object({ uetr, messageId }),
        problems: ['unknown-payment', 'unknown-message', 'message-not-kept', 'message-changed'],
        answer: storedMessageAnswer,
      },
      async ({ params, caller }) => {
        const load = () => loadEvidenceAbout(deps.db, params.uetr, params.messageId);
        const seen = await openEvidence(deps, params.uetr, caller, load);
        if (isProblem(seen)) return seen;
        const { evidence, view } = seen;
        const message = evidence.messages.find((one) => one.messageId === params.messageId);
        const refused = view.isOperator ? await refusedOf(deps, params) : undefined;
        if (refused === 'changed') return problem('message-changed');
        if (refused === null) return problem('message-not-kept');
        if (refused !== undefined) return refusedBytes(refused);
        if (message === undefined || !view.mayRead(message)) {
          const detail = `Your side of payment ${params.uetr} has no message ${params.messageId}; GET /payments/{uetr} lists the messages that you may read.`;
          return problem('unknown-message', { detail });
        }
        return bytesOf(deps, message);
      },
    );
  };
}

/** Returns the obstacles to judging the payment or sending its messages; null if nothing is due. */
async function whatHoldsUp(deps: ApiDependencies, evidence: PaymentEvidence): Promise<JsonObject | null> {
  // Isthmus sends an accepted instruction again, until the destination reports how the payment ended
  const owed = evidence.deliveries.filter(
    (one) => one.closedAt === null && (one.deliveredAt === null || one.kind === 'instruction'),
  );
  const submission = submissionOf(evidence);
  const isUnjudged =
    evidence.payment === undefined &&
    submission !== undefined &&
    refusalOf(evidence, submission) === undefined;
  return owed.length > 0 || isUnjudged ? hindrancesOf(deps, owed) : null;
}

/**
 * Text for a PSP, which sees its payment only after the judgement. The PSP must not mistake the delay for a
 * loss.
 */
function hint({ role }: Caller): string {
  return role === 'psp'
    ? ' It may be stored all the same, and still go out: until its operator has an answer, keep the amount reserved and do not pay again.'
    : '';
}

interface Seen {
  readonly evidence: PaymentEvidence;
  readonly view: View;
}

async function openEvidence(
  deps: ApiDependencies,
  paymentUetr: string,
  caller: Caller,
  load: () => Promise<PaymentEvidence>,
  isSecondLook = false,
): Promise<Seen | Problem> {
  const all = await load();
  const evidence = caller.role === 'ipso' ? ofParty(all, caller.clearingSystemId ?? '') : all;
  const seen = viewOf(evidence, caller);
  if (seen !== undefined) return seen;
  if (readsAll(caller)) {
    const none = await withoutPayment(deps.db, paymentUetr);
    const cameMeanwhile = none.code === 'not-judged-yet';
    return cameMeanwhile && !isSecondLook ? openEvidence(deps, paymentUetr, caller, load, true) : none;
  }
  return problem('unknown-payment', {
    ruleId: 'SEC-1',
    detail: `There is no payment ${paymentUetr} that ${caller.clientId} may read.${hint(caller)}`,
  });
}

const readsAll = ({ role }: Caller) => role === 'operator' || role === 'all';

/** @returns undefined if the caller may not know that the payment exists */
function viewOf(evidence: PaymentEvidence, caller: Caller): Seen | undefined {
  const source = submissionOf(evidence)?.party;
  if (source === undefined) return undefined;
  if (readsAll(caller)) {
    return { evidence, view: { mayList: () => true, mayRead: () => true, isOperator: true } };
  }
  const systems = {
    source,
    destination: evidence.payment?.destinationSystem ?? undefined,
  };
  const isOfPayment = ({ leg, party }: Pick<EvidenceMessage, 'leg' | 'party'>) =>
    leg === 'fxp' || party === systems[leg];
  const sides = sidesOf(evidence, { caller, systems });
  if (!sides.source && !sides.destination) return undefined;
  return {
    evidence: sides.source ? evidence : withoutExchange(evidence),
    view: {
      mayList: isOfPayment,
      mayRead: (message) => message.leg !== 'fxp' && sides[message.leg] && isOfPayment(message),
      isOperator: false,
    },
  };
}

interface Sides {
  readonly source: boolean;
  readonly destination: boolean;
}

/**
 * Returns the sides that the caller belongs to. The destination's side counts only once the destination may
 * have received the payment.
 */
function sidesOf(
  evidence: PaymentEvidence,
  { caller, systems }: { caller: Caller; systems: { source: string; destination: string | undefined } },
): Sides {
  const { role, clearingSystemId, institutionId } = caller;
  const { payment } = evidence;
  const isSeen = mayHaveBeenSeen(evidence);
  if (role === 'ipso' && clearingSystemId !== undefined) {
    return {
      source: clearingSystemId === systems.source,
      destination: isSeen && clearingSystemId === systems.destination,
    };
  }
  if (role !== 'psp' || institutionId === undefined || payment === undefined) {
    return { source: false, destination: false };
  }
  return {
    source: institutionId === payment.debtorAgentId,
    destination: isSeen && institutionId === payment.creditorAgentId,
  };
}

/**
 * Returns the tree of a stored pacs.008. Null if its bytes are no longer kept; `changed` if they fail the
 * integrity check.
 */
async function documentOf(
  { db }: ApiDependencies,
  engine: XmlEngine,
  id: string,
): Promise<XmlElement | null | 'changed'> {
  const body = await openOrTell(db, id, () => messageBody(db, id));
  if (body === undefined) return null;
  if (body === 'changed') return body;
  const parsed = engine.parse(body, ['pacs008']);
  assert(parsed.ok, 'a stored message passed intake');
  const document = parsed.value.document(); // it outlives the parsed message
  parsed.value.dispose();
  return document;
}

/**
 * Compares the received message with the forwarded one. The difference is null if nothing was forwarded. It
 * is also null if a message is no longer kept or fails the integrity check.
 */
async function differenceOf(
  deps: ApiDependencies,
  engine: XmlEngine,
  { payment }: PaymentEvidence,
): Promise<Pick<EvidenceView, 'difference' | 'changed'>> {
  if (payment === undefined || payment.forwardedMessageId === null) return { difference: null, changed: [] };
  const { messageId, forwardedMessageId } = payment;
  const [received, forwarded] = await Promise.all([
    documentOf(deps, engine, messageId),
    documentOf(deps, engine, forwardedMessageId),
  ]);
  const changed = [
    ...(received === 'changed' ? [messageId] : []),
    ...(forwarded === 'changed' ? [forwardedMessageId] : []),
  ];
  const isWhole = isTree(received) && isTree(forwarded);
  return { difference: isWhole ? compareMessages(received, forwarded) : null, changed };
}

const isTree = (document: XmlElement | null | 'changed'): document is XmlElement =>
  document !== null && document !== 'changed';

const refusedOf = (
  { db }: ApiDependencies,
  { uetr: subjectId, messageId: id }: { readonly uetr: string; readonly messageId: string },
) => openOrTell(db, id, () => refusedBody(db, subjectId, id));

/**
 * Returns the bytes of a refused message as an attachment of unspecified type, so that no browser interprets
 * them.
 */
function refusedBytes(body: Buffer): Response {
  return new Response(new Uint8Array(body), {
    headers: {
      ...baseHeaders,
      'content-type': 'application/octet-stream',
      'content-disposition': 'attachment',
    },
  });
}

async function bytesOf(deps: ApiDependencies, message: EvidenceMessage): Promise<Response | Problem> {
  const { messageId: id } = message;
  const body = await openOrTell(deps.db, id, () => messageBody(deps.db, id));
  if (body === 'changed') return problem('message-changed');
  if (body === undefined) return problem('message-not-kept');
  const digest = createHash('sha256').update(body).digest();
  assert(digest.equals(message.sha256), 'a stored message has the bytes that its hash is of');
  return xml(body, {
    etag: `"${digest.toString('hex')}"`,
    'repr-digest': `sha-256=:${digest.toString('base64')}:`,
  });
}
