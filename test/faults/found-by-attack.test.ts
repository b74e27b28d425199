// Faults that attacks on the system found: finals after the decision, and defects of ours in answers and decisions.
import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { afterEach, describe, expect, test } from 'vitest';
import { createLibxml2Engine } from '../../xml/libxml2.ts';
import { paymentWorkflowId } from '../../contract/ids.ts';
import { evidenceOf } from '../harness/evidence.ts';
import { testGateway } from '../harness/gateway.ts';
import { lateDestination } from '../harness/late-destination.ts';
import { endingIn } from '../../fixtures/endings.ts';
import { instruction } from '../../fixtures/instruction.ts';
import { makeOverdue } from '../harness/overdue.ts';
import { bestQuote, submit } from '../harness/payer.ts';
import { eventually } from '../harness/wait.ts';

const destination = await lateDestination(4_500);

/** Which messages make the worker's XML engine throw. */
let isPoison: (text: string) => boolean = () => false;
let onValidate: (text: string) => Promise<void> = () => Promise.resolve();
afterEach(() => {
  isPoison = () => false;
  onValidate = () => Promise.resolve();
});
const engine = createLibxml2Engine();
/** Log lines of api and worker. */
const logged: string[] = [];
const gateway = await testGateway({
  logger: pino({ level: 'warn' }, { write: (line: string) => void logged.push(line) }),
  maxExecutionSeconds: 3,
  sweepEveryMs: 500,
  workerEngine: {
    ...engine,
    parse: (bytes, expected) => {
      const text = Buffer.from(bytes).toString();
      if (isPoison(text)) throw new TypeError('a defect of ours');
      const result = engine.parse(bytes, expected);
      if (!result.ok) return result;
      const message = result.value;
      const validate = async () => {
        await onValidate(text);
        return message.validate();
      };
      return {
        ok: true,
        value: {
          type: message.type,
          document: () => message.document(),
          validate,
          dispose: () => message.dispose(),
        },
      };
    },
  },
  prepare: (db) => destination.register(db, 'IPSO-MY'),
});
const evidence = evidenceOf(gateway);
const { db } = gateway;

async function toMalaysia() {
  const quote = await bestQuote(gateway, { destination: 'MY', destinationCurrency: 'MYR' });
  return instruction(quote, { priority: 'HIGH' });
}

/**
 * A HIGH payment that the gateway rejects at its deadline, after 3 s. The destination's ACCC comes after 4.5 s. On a slow
 * machine the ACCC may come first and decide; then it makes another payment.
 */
async function rejectedBeforeItsAccc(fate: string): Promise<string> {
  const message = await toMalaysia();
  const { uetr } = message;
  expect((await submit(gateway, message)).report?.status).toBe('ACTC');
  await eventually(async () => {
    expect(await evidence.attempts(uetr, 'instruction')).toHaveLength(1);
  });
  if (fate === 'terminated') {
    await gateway.temporal.workflow.getHandle(paymentWorkflowId(uetr)).terminate('by mistake');
  }
  const { status } = await evidence.arrival(uetr, 'source', 'pacs002');
  if (status === 'RJCT') return uetr;
  process.stderr.write('1.5 s after the deadline nothing was decided: once more\n');
  return rejectedBeforeItsAccc(fate);
}

describe.each(['kept', 'terminated'])(
  'an ACCC in place after the HIGH deadline, the execution %s',
  (fate) => {
    test('is a contradiction, and is answered RJCT again (TIM-1, PAY-7, LIF-3)', async () => {
      const uetr = await rejectedBeforeItsAccc(fate);
      await eventually(async () => expect(await evidence.audit(uetr)).toContain('payment.contradiction'));
      await eventually(
        async () => {
          // the sweep finds deliveries that are overdue for 60 s
          await makeOverdue(db, uetr)
            .where('kind', '=', 'confirmation')
            .where('delivered_at', 'is', null)
            .execute();
          expect(destination.toldSince(uetr)).toContain('RJCT');
        },
        { everyMs: 500 },
      );
    });
  },
);

test('an answer of the destination that meets a defect of ours is asked for four times at most, with an alert (SEC-9, TIM-3)', async () => {
  const message = instruction(await bestQuote(gateway));
  isPoison = (text) => text.includes('<TxSts>ACCC<') && text.includes(message.uetr);
  await submit(gateway, message);
  await eventually(async () => {
    const attempts = await evidence.attempts(message.uetr, 'instruction');
    expect(attempts.filter(({ outcome }) => outcome === 'ANSWERED')).toHaveLength(4);
  });
  expect(await evidence.audit(message.uetr)).toContain('answer.defect');
  expect(evidence.received(message.uetr, 'destination', 'pacs008')).toHaveLength(4);
});

test('a decision that cannot be made for a defect of ours raises an alert, and is made once the defect is gone (SEC-9)', async () => {
  const message = instruction(await bestQuote(gateway), { priority: 'HIGH', ending: endingIn.silent });
  isPoison = (text) =>
    text.includes(`<OrgnlMsgId>${message.messageIdentification}<`) && text.includes('<TxSts>RJCT<');
  await submit(gateway, message);
  await eventually(async () => expect(await evidence.audit(message.uetr)).toContain('decision.defect'));
  isPoison = () => false;
  expect((await evidence.arrival(message.uetr, 'source', 'pacs002')).status).toBe('RJCT');
});

test('the same refused repeat at the same time gets one answer, whatever it prefers (I-13, DUP-2)', async () => {
  const message = instruction(await bestQuote(gateway));
  await submit(gateway, message);
  const other = { ...message, messageIdentification: `X${randomUUID().slice(0, 8)}` };
  const answers = await Promise.all(
    [undefined, 'wait=1', 'wait=2', 'wait=3'].map((prefer) =>
      submit(gateway, other, prefer === undefined ? {} : { prefer }),
    ),
  );
  expect(new Set(answers.map((one) => one.text)).size).toBe(1);
  expect(answers[0]?.report?.reasonCode).toBe('DUPL');
});
