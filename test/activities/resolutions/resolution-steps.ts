// The activities of a resolution by themselves, on a real database, against a party that the test plays: whoever calls
// one sees what it does, and its faults can be made.
import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { ApplicationFailure } from '@temporalio/common';
import { createAskResolution } from '../../../activities/resolutions/ask-resolution.ts';
import type { ResolutionJudgement } from '../../../contract/activities.ts';
import type { ActivityDependencies } from '../../../activities/dependencies.ts';
import {
  createEndResolution,
  createFollowResolution,
} from '../../../activities/resolutions/follow-resolution.ts';
import { createJudgeResolution } from '../../../activities/resolutions/judge-resolution.ts';
import { requestReferencesOf, takeAcmt023 } from '../../../core/iso20022/acmt023.ts';
import { buildAcmt023, type OriginalAcmt023 } from '../../../fixtures/acmt023.ts';
import { answerAcmt023 } from '../../../core/iso20022/acmt024.ts';
import { recordReceived } from '../../../db/records/messages.ts';
import { inActivity, workbench } from '../workbench.ts';
import { reading } from '../../harness/listening.ts';
import { validTree } from '../../xml/fixtures.ts';

type Routed = Extract<ResolutionJudgement, { verdict: 'routed' }>;

/** The operator of every system: what it is asked, and what it answers. */
export interface PlayedOperator {
  readonly url: string;
  asked: number;
  answer: (response: ServerResponse, body: Buffer) => void;
}

export async function playOperator(): Promise<PlayedOperator> {
  const url = await reading((response, body) => {
    operator.asked += 1;
    operator.answer(response, body);
  });
  const operator: PlayedOperator = { url, asked: 0, answer: (response) => response.end() };
  return operator;
}

/** A valid acmt.024 that says yes to an acmt.023. */
export async function yesTo(body: Buffer): Promise<string> {
  const asked = takeAcmt023(await validTree('acmt023', body));
  const agent = { bicfi: 'LOTUTHS0' };
  return answerAcmt023(requestReferencesOf(asked), {
    messageIdentification: randomUUID().replaceAll('-', ''),
    creationDateTime: new Date().toISOString(),
    assigner: agent,
    assignee: agent,
    verified: true,
    found: { partyName: 'Maria Santos', account: asked.account, agent },
  });
}

/** Call it at the top of a test file. */
export async function resolutionSteps(operator: PlayedOperator) {
  const { deps: parts, databaseUrl } = await workbench();
  const { db } = parts;
  /** Dependencies with every operator at an address. */
  const at = (endpointUrl: string, changes: Partial<ActivityDependencies> = {}): ActivityDependencies => ({
    ...parts,
    reference: () => {
      const reference = parts.reference();
      const operators = Array.from(
        reference.operators,
        ([id, one]) => [id, { ...one, endpointUrl }] as const,
      );
      return { ...reference, operators: new Map(operators) };
    },
    ...changes,
  });
  const deps = at(operator.url);
  const store = async (request: OriginalAcmt023) => {
    const body = Buffer.from(buildAcmt023(request));
    const { messageId } = await recordReceived(db, {
      type: 'acmt023',
      messageIdentification: request.messageIdentification,
      leg: 'source',
      party: 'SGDFAST',
      answerUrl: 'http://127.0.0.1:9/acmt024',
      body,
    });
    return messageId;
  };
  return {
    db,
    databaseUrl,
    deps,
    at,
    store,
    judge: (messageId: string) => createJudgeResolution(deps)({ messageId }),
    /** Judges a request that is to be asked. */
    routed: async (request: OriginalAcmt023): Promise<Routed> => {
      const judgement = await createJudgeResolution(deps)({ messageId: await store(request) });
      if (judgement.verdict !== 'routed') throw new Error(JSON.stringify(judgement));
      return judgement;
    },
    /** One run of the activity: the report's id, or the kind of the failure. */
    ask: async ({ resolutionId, enquiry, deadlineAt }: Routed, through = deps): Promise<string> => {
      const { deliveryId } = enquiry;
      try {
        const input = { resolutionId, deliveryId, deadlineAt };
        return (await inActivity(() => createAskResolution(through)(input))).reportMessageId;
      } catch (error) {
        if (!(error instanceof ApplicationFailure)) throw error;
        return error.type ?? '';
      }
    },
    follow: ({ resolutionId, enquiry: { of } }: Routed, reportMessageId: string, through = deps) =>
      createFollowResolution(through)({ resolutionId, of, reportMessageId }),
    end: ({ resolutionId }: Routed, through = deps) => createEndResolution(through)({ resolutionId }),
    attempts: ({ enquiry }: Routed) =>
      db
        .selectFrom('delivery_attempts')
        .select(['outcome', 'error_class'])
        .where('delivery_id', '=', enquiry.deliveryId)
        .orderBy('attempt')
        .execute(),
    audit: (resolutionId: string) =>
      db
        .selectFrom('audit_events')
        .select(['severity', 'kind', 'detail'])
        .where('subject_id', '=', resolutionId)
        .orderBy('audit_event_id')
        .execute(),
  };
}
