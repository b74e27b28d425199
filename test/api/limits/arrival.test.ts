// What a message goes through before it is read: where nobody has looked at its signature, because no turn came, it is neither
// counted nor told anything as one that is not signed (SEC-1, SEC-7).
import { expect, test } from 'vitest';
import { createQuotas } from '../../../api/http/limits/quotas.ts';
import { problem, type Problem } from '../../../api/http/problems/problem.ts';
import { json } from '../../../api/http/response.ts';
import { createRouter } from '../../../api/http/route.ts';
import { paymentListSchema } from '../../../api/payments/payment-schemas.ts';

/** Sends messages of one operator, which may send ten in a second, each with what is said of its signature. */
function sender(role: 'ipso' | 'psp' = 'ipso') {
  let said: Problem | undefined;
  const kept: boolean[] = [];
  const caller = { role, clientId: 'SGDFAST', clearingSystemId: 'SGDFAST' } as const;
  const router = createRouter(
    { authenticate: () => caller, knownSender: () => undefined, knownCaller: () => undefined },
    {
      corsOrigins: [],
      quotas: createQuotas(() => 0),
      limits: {
        messagesPerMinute: 10,
        requestsPerMinute: 10,
        failedLoginsPerMinute: 0,
        undecidedPayments: 0,
        megabytesPerDay: 0,
      },
      checkSignature: () => Promise.resolve(said ?? (() => Promise.resolve(undefined))),
    },
  );
  router.add(
    {
      method: 'post',
      path: '/message',
      operationId: 'message',
      summary: 'x',
      tag: 'Service',
      roles: ['ipso'],
      before: (_, keeps) => {
        kept.push(keeps);
        return Promise.resolve(undefined);
      },
      isSigned: true,
      turns: 'message',
      answer: { description: 'x', schema: paymentListSchema },
    },
    () => json({ payments: [], next: null }),
  );
  return async (signature?: Problem) => {
    said = signature;
    const answer = await router.app.request('/message', { method: 'POST' });
    const { detail } = (await answer.json()) as { readonly detail?: string };
    return { status: answer.status, detail, kept };
  };
}

test('whose turn did not come is told that, however many they are, and is not counted', async () => {
  const send = sender();
  const noTurn = problem('too-many-messages', { detail: 'Nobody has looked at it.' });
  for (let nth = 0; nth < 30; nth += 1) {
    expect(await send(noTurn)).toMatchObject({ status: 429, detail: 'Nobody has looked at it.' });
  }
  expect((await send(problem('signature-refused'))).status).toBe(401);
  expect((await send()).status).toBe(200);
});

test('whose signature was refused is counted apart, and told that', async () => {
  const send = sender();
  for (let nth = 0; nth < 10; nth += 1) expect((await send(problem('signature-refused'))).status).toBe(401);
  const { status, detail } = await send(problem('signature-refused'));
  expect([status, detail]).toEqual([
    429,
    expect.stringContaining('This limit counts requests without the signature'),
  ]);
  expect((await send()).status).toBe(200);
});

test('who may not send a message takes no room for its body (SEC-1, OVL-1)', async () => {
  const { status, kept } = await sender('psp')();
  expect([status, kept]).toEqual([403, [false]]);
});
