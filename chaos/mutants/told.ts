// More known mistakes: in what operators and sources are told of a payment or resolution. They belong to the list of
// all.ts.
import type { Mutant } from './mutant.ts';

export const toldMutants: readonly Mutant[] = [
  {
    name: 'agreement-is-a-contradiction',
    tells: 'A final raises the alert of a contradiction though it agrees with the decision.',
    edits: [
      {
        file: 'db/payments/reports.ts',
        find: 'if (isContradiction) await',
        replace: 'if (report.messageId !== payment.decision.callbackMessageId) await',
      },
    ],
    breaks: ['R:PAY-7'],
  },
  {
    name: 'in-doubt-at-once',
    tells: 'A payment is called in doubt with its first enquiry.',
    edits: [
      {
        file: 'workflows/until-decided.ts',
        find: '    send();\n',
        replace:
          '    send();\n    await progress.inTurn(() => reportInDoubt({ uetr: progress.input.uetr }));\n',
      },
    ],
    breaks: ['R:TIM-2'],
  },
  {
    name: 'record-without-reports',
    tells: 'The record of a payment leaves out what its destination said.',
    edits: [
      {
        file: 'db/payments/evidence.ts',
        find: 'from messages where subject_id = ${uetr}',
        replace: "from messages where subject_id = ${uetr} and (direction = 'out' or leg = 'source')",
      },
    ],
    breaks: ['I-4'],
  },
  {
    name: 'found-agent-ignored',
    tells: 'The agent that a directory found is ignored; that of the request is taken.',
    edits: [
      {
        file: 'core/resolutions/resolution.ts',
        find: 'const { account, agent = request.creditorAgent } = answer.found ?? {};',
        replace: 'const { account } = answer.found ?? {};\n  const agent = request.creditorAgent;',
      },
    ],
    breaks: ['R:RES-2'],
  },
  {
    name: 'dead-letter-of-what',
    tells: 'The alert of a dead letter does not say what was decided.',
    edits: [
      {
        file: 'db/deliveries/deliveries.ts',
        find: 'decisions where uetr = ended.subject_id`',
        replace: "decisions where uetr = ended.subject_id and decided_by = 'gateway'`",
      },
    ],
    breaks: ['I-17'],
    shownBy: { fault: 'source-is-gone', seconds: 20 },
  },
  {
    name: 'refused-answers-untold',
    tells: 'A destination answers with what does not count, and nobody is told.',
    edits: [
      {
        file: 'db/records/refused-messages.ts',
        find: '  await insertAudit(event, isWithin).execute(db);',
        replace:
          "  if (kind.endsWith('.answer-refused')) return;\n  await insertAudit(event, isWithin).execute(db);",
      },
    ],
    breaks: ['R:PAY-8'],
    shownBy: { fault: 'destination-answers-garbage', seconds: 25 },
  },
  {
    name: 'resolution-not-told-again',
    tells: 'Who asks again for an account has what was found in the answer only.',
    edits: [
      {
        file: 'db/payments/submissions.ts',
        find: 'const isDue = await askCallbackAgain(db, messageId, mayAsk);',
        replace: 'const isDue = messageId === null || !mayAsk;',
      },
    ],
    breaks: ['R:DUP-1'],
  },
  {
    name: 'holder-at-a-stranger',
    tells: 'An account that a directory finds at an agent that is not onboarded is told as found.',
    edits: [
      {
        file: 'core/resolutions/resolution.ts',
        find: '  const creditorAgent = creditorAgentOf(agent, destinationCountry, reference);\n  if (!creditorAgent.ok) return creditorAgent;\n  const institution = creditorAgent.value;\n  const isKnown',
        replace:
          "  const institution = resolveAgent(reference, agent);\n  if (institution === undefined) return refused(reject('resolution-agent-unknown'));\n  const isKnown",
      },
    ],
    breaks: ['R:RES-2'],
  },
  {
    name: 'repeat-waits-for-the-engine',
    tells: 'A repeat of a judged submission is answered only once the engine has been told of it.',
    edits: [
      {
        file: 'api/payments/iso20022.ts',
        find: ': answerKnown(deps, iso, known,',
        replace: ': await answerKnown(deps, iso, known,',
      },
      {
        file: 'api/payments/iso20022.ts',
        find: 'function answerKnown(',
        replace: 'async function answerKnown(',
      },
      {
        file: 'api/payments/iso20022.ts',
        find:
          '): { readonly answerMessageId: string } {\n' +
          "  if (due === 'redelivery') passOn(deps, payment.uetr, workflows.redeliver(payment.uetr));\n" +
          "  if (due === 'enquiry') passOn(deps, payment.uetr, workflows.enquire(payment));\n",
        replace:
          '): Promise<{ readonly answerMessageId: string }> {\n' +
          "  if (due === 'redelivery') await workflows.redeliver(payment.uetr);\n" +
          "  if (due === 'enquiry') await workflows.enquire(payment);\n" +
          '  passOn(deps, payment.uetr, Promise.resolve());\n',
      },
    ],
    breaks: ['R:DUP-1'],
    shownBy: { fault: 'engine-stands-still', seconds: 60 },
  },
];
