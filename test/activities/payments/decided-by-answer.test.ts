// The destination answers the instruction with a final status. The same activity decides, and makes one attempt to
// tell each party (PAY-7, PAY-9).
import type { ServerResponse } from 'node:http';
import { beforeEach, expect, test } from 'vitest';
import { createDecidePayment } from '../../../activities/payments/decide-payment.ts';
import { createDeliver } from '../../../activities/deliveries/deliver.ts';
import { createForwardPayment } from '../../../activities/payments/forward-payment.ts';
import { newMessageId } from '../../../fixtures/instruction.ts';
import type { XmlEngine } from '../../../xml/engine.ts';
import { receivedOf, type Received } from '../../harness/destination.ts';
import { reading } from '../../harness/listening.ts';
import { reportOn } from '../../harness/reports.ts';
import { dueIn } from '../../harness/rewritten.ts';
import { destinationAt, inActivity, workbench } from '../workbench.ts';

const { deps, accepted } = await workbench();
const { db } = deps;
const [decidePayment, deliver] = [createDecidePayment(deps), createDeliver(deps)];

type Kind = 'instruction' | 'confirmation' | 'callback';
const posts: { readonly kind: Kind; readonly id: unknown; readonly body: string }[] = [];
/** HTTP status with which the source answers the next callbacks; afterwards 204. */
const refusals: number[] = [];
const url = await reading((response, body, request) => {
  const received = receivedOf(body);
  const toDestination = received.status === undefined ? 'instruction' : 'confirmation';
  const kind = request.url === '/callback' ? 'callback' : toDestination;
  posts.push({ kind, id: request.headers['webhook-id'], body: body.toString() });
  if (kind === 'instruction') credit(response, received);
  else response.writeHead((kind === 'callback' && refusals.shift()) || 204).end();
});
await destinationAt(deps, url);

function credit(response: ServerResponse, received: Received): void {
  response.writeHead(200, { 'content-type': 'application/xml' }).end(reportOn(received));
}

beforeEach(() => {
  posts.length = 0;
  refusals.length = 0;
});

const told = (kind: Kind) => posts.filter((post) => post.kind === kind);

/** Runs something when the activity has made the callback of the payment, before it writes the decision. */
async function meeting(meanwhile: (uetr: string) => Promise<unknown>) {
  const messageIdentification = newMessageId();
  const payment = await accepted({ messageIdentification }, `${url}/callback`);
  const parse: XmlEngine['parse'] = (bytes, expected) => {
    const parsed = deps.engine.parse(bytes, expected);
    if (!parsed.ok || !Buffer.from(bytes).includes(`<OrgnlMsgId>${messageIdentification}<`)) return parsed;
    const { type, document } = parsed.value;
    const validate = async () => {
      await meanwhile(payment.uetr);
      return parsed.value.validate();
    };
    return { ok: true, value: { type, document, validate, dispose: () => parsed.value.dispose() } };
  };
  const forwardPayment = createForwardPayment({ ...deps, engine: { ...deps.engine, parse } });
  const answer = await inActivity(() => forwardPayment(payment));
  return {
    uetr: payment.uetr,
    answer,
    reportMessageId: answer.kind === 'final' ? answer.reportMessageId : '',
  };
}

const decisionsOf = (uetr: string) =>
  db.selectFrom('decisions').select(['status', 'decided_by']).where('uetr', '=', uetr).execute();
const eventsOf = (uetr: string) =>
  db.selectFrom('audit_events').select('kind').where('subject_id', '=', uetr).execute();

const forwardPayment = createForwardPayment(deps);
const pay = async () => {
  const payment = await accepted({}, `${url}/callback`);
  return { ...payment, send: () => inActivity(() => forwardPayment(payment)) };
};

test('the payment is decided, and the source and the destination are told once each (PAY-7, PAY-9)', async () => {
  const { uetr, send } = await pay();
  expect(await send()).toMatchObject({ kind: 'decided', decision: { status: 'ACCC' }, isTold: true });
  expect(posts.map(({ kind }) => kind).sort()).toEqual(['callback', 'confirmation', 'instruction']);
  expect(await decisionsOf(uetr)).toEqual([{ status: 'ACCC', decided_by: 'destination' }]);
});

test('a send that is tried again after its worker died sends nothing, finds the decision, and leaves the parties to the workflow (PAY-7)', async () => {
  const { send } = await pay();
  const first = await send();
  expect(await send()).toEqual({ ...first, isTold: false });
  expect(posts).toHaveLength(3);
});

test('a callback that fails is repeated by the workflow, in the same bytes and with the same webhook-id; nothing else is sent again (CBK-1)', async () => {
  refusals.push(503);
  const { uetr, send } = await pay();
  expect(await send()).toMatchObject({ kind: 'decided', isTold: false });
  await db
    .updateTable('deliveries')
    .set({ next_due_at: new Date(0) })
    .where('subject_id', '=', uetr)
    .where('kind', '=', 'callback')
    .execute();
  expect(await inActivity(() => deliver({ subjectId: uetr }))).toBeUndefined();
  const [first, second] = told('callback');
  expect(told('callback')).toHaveLength(2);
  expect(second).toEqual(first);
  expect(told('confirmation')).toHaveLength(1);
});

test('if another process decides by the stored final meanwhile, there is one decision, and the workflow learns it (PAY-7, I-18)', async () => {
  const { uetr, answer, reportMessageId } = await meeting(async (one) => {
    await dueIn(db, [one], -1);
    await decidePayment({ uetr: one, cause: { by: 'deadline' } });
  });
  expect(answer).toEqual({ kind: 'final', reportMessageId });
  const cause = { by: 'destination', reportMessageId, wantsConfirmation: true } as const;
  expect(await decidePayment({ uetr, cause })).toMatchObject({ status: 'ACCC' });
  expect(await decisionsOf(uetr)).toEqual([{ status: 'ACCC', decided_by: 'destination' }]);
  expect(await eventsOf(uetr)).toEqual([]);
});

test('if a defect of ours prevents the decision, the final is stored, and the workflow decides (SEC-9)', async () => {
  const { uetr, answer, reportMessageId } = await meeting(() => Promise.reject(new TypeError('a defect')));
  expect(answer).toEqual({ kind: 'final', reportMessageId });
  expect(await decisionsOf(uetr)).toEqual([]);
  const cause = { by: 'destination', reportMessageId, wantsConfirmation: true } as const;
  expect(await decidePayment({ uetr, cause })).toMatchObject({ status: 'ACCC' });
});
