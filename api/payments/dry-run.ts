// POST /iso20022/validate: a dry run. It reports every fault of a message, and stores, starts and sends
// nothing. A later submission of the same bytes may still be refused, because some checks happen only for a
// submission.
import { z } from '@hono/zod-openapi';
import { dryRun, layers, type DryRun } from '../../core/payments/dry-run.ts';
import { messages, type MessageName } from '../../core/iso20022/messages.ts';
import { readUetr } from '../../core/iso20022/references.ts';
import { additionalInformation, explain, faults } from '../../core/rejections/explanation.ts';
import type { Fault } from '../../core/rejections/rejection-table.ts';
import type { ParsedMessage, XmlEngine } from '../../xml/engine.ts';
import { codeSetsSchema, renderCodeSets } from '../reference/code-sets.ts';
import type { RouteModule } from '../dependencies.ts';
import { aboutRequest } from '../http/access-log.ts';
import { bodyOf, refusal, refusedKeys, takeMessage } from '../http/input/intake.ts';
import { anyMessage } from './message-documents.ts';
import { whereRulesAre } from '../http/problems/problems.ts';
import { json } from '../http/response.ts';
import { component } from '../http/component.ts';

const everyName = Object.keys(messages) as MessageName[];

const violationSchema = component('Violation', {
  id: z.string().openapi({ description: 'Row of GET /iso20022/rejections', example: 'amount-zero' }),
  isoCode: z.string().openapi({ description: 'From the external status reason set', example: 'FF01' }),
  ruleId: z.string().openapi({ description: whereRulesAre, example: 'MSG-4' }),
  xpath: z.string().nullable().openapi({ description: 'From /Document on; null where it has no place' }),
  text: z.string().openapi({ description: 'What is wrong, in a few words' }),
  fault: z
    .enum(Object.keys(faults) as [Fault, ...Fault[]])
    .nullable()
    .openapi({
      description: 'Which of four kinds of fault it is (MSG-13); null if the fault is not in the message',
    }),
  explanation: z.string().openapi({
    description:
      'The long form (MSG-13), as in the header Isthmus-Rejection: element, what was found, what was ' +
      'expected. Values of persons, accounts and addresses, ids and free text are never repeated.',
    example:
      'MSG-5 CdtTrfTxInf/ChrgBr: must be SHAR (FF01, valid ISO 20022, but not used in this scheme). Found: DEBT.',
  }),
  additionalInformation: z.string().openapi({ description: 'AddtlInf as in a pacs.002 (MSG-11)' }),
});

const notJudgedSchema = component('NotJudged', {
  name: z.string().openapi({ description: 'What was not judged', example: 'quote' }),
  ruleId: z.string().openapi({ description: whereRulesAre, example: 'PAY-4' }),
  reason: z.string().openapi({ description: 'Why' }),
});

export const dryRunSchema = component('DryRun', {
  message: z.string().openapi({ description: 'Message identifier', example: 'pacs.008.001.13' }),
  valid: z.boolean().openapi({ description: 'Whether no fault was found' }),
  refusedAtIntake: z
    .string()
    .nullable()
    .openapi({
      description:
        'The detail with which a submission of this message would be refused (400, message-refused) before it is judged, ' +
        'because it lacks the keys that an answer repeats (MSG-2); null if it would be judged',
    }),
  codeSets: codeSetsSchema,
  judged: z.array(z.enum(layers)).openapi({
    description:
      'What the message was checked against, wholly or in part. A layer that is left out was not reached, because the ' +
      'schema refuses what it needs, or does not apply to such a message.',
  }),
  violations: z.array(violationSchema).openapi({
    description:
      'Schema first (at most 20), then rules, then reference data; the first is the one that a submission would get, unless it is refused at intake',
  }),
  notJudged: z
    .array(notJudgedSchema)
    .openapi({ description: 'What the message was not checked against, and why (MSG-14)' }),
});

export function validateRoutes(engine: XmlEngine): RouteModule {
  return (router, deps) => {
    router.add(
      {
        method: 'post',
        path: '/iso20022/validate',
        operationId: 'validateMessage',
        summary: 'Check a message without submitting it',
        description:
          'Takes any of our messages, recognised by its namespace; the answer to another version names the expected ' +
          'namespace. A pacs.008 or acmt.023 is judged as if you submitted it. Nothing is stored. The answer lists every fault that ' +
          'can be found, with what was found and what was expected, and by name what was not judged: quotes (PAY-4) and ' +
          'duplicates (DUP) are checked only on submission; AccptncDtTm is compared with the current time (TIM-4).',
        tag: 'ISO 20022',
        roles: ['ipso', 'psp', 'operator'],
        before: takeMessage,
        turns: 'message',
        request: anyMessage,
        problems: ['message-refused'],
        answer: { description: 'Every violation', schema: dryRunSchema },
      },
      async ({ caller, context }) => {
        const strict = engine.parse(bodyOf(context), everyName);
        // what answers our messages may have comments
        const asAnswer = strict.ok ? strict : engine.parse(bodyOf(context), ['pacs002', 'acmt024']);
        const parsed = asAnswer.ok ? asAnswer : strict;
        if (!parsed.ok) {
          return refusal(parsed.refusal);
        }
        const message = parsed.value;
        const uetr = readUetr(message.type.name, message.document());
        // the log line names the UETR, as for a submission
        if (uetr !== undefined) aboutRequest(context).subjectId = uetr;
        const run = await judge(message, {
          reference: deps.reference.current(),
          sourceSystem: caller.clearingSystemId,
          now: Date.now(),
        });
        return json(render(message, run));
      },
    );
  };
}

/** Judges the message, and disposes of it. */
async function judge(message: ParsedMessage, context: Parameters<typeof dryRun>[1]): Promise<DryRun> {
  try {
    const document = message.document();
    return dryRun({ name: message.type.name, document, violations: await message.validate() }, context);
  } finally {
    message.dispose();
  }
}

/**
 * The messages that parties submit to this service. Isthmus sends the other messages, or receives them as
 * answers.
 */
const submitted: ReadonlySet<MessageName> = new Set(['pacs008', 'pacs002', 'acmt023']);

function render({ type, document }: ParsedMessage, { judged, rejections, notJudged }: DryRun) {
  const refusedAtIntake = submitted.has(type.name) ? (refusedKeys(type.name, document()) ?? null) : null;
  return {
    message: type.identifier,
    valid: rejections.length === 0 && refusedAtIntake === null,
    refusedAtIntake,
    codeSets: renderCodeSets(),
    judged,
    violations: rejections.map((rejection) => ({
      id: rejection.key,
      isoCode: rejection.isoCode,
      ruleId: rejection.ruleId,
      xpath: rejection.xpath ?? null,
      text: rejection.text,
      fault: rejection.fault ?? null,
      explanation: explain(rejection),
      additionalInformation: additionalInformation(rejection),
    })),
    notJudged: notJudged.map(({ name, ruleId, reason }) => ({ name, ruleId, reason })),
  };
}
