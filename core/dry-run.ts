/**
 * What the gateway would hold against a message, all of it at once, for whoever prepares one (`POST /iso20022/validate`).
 * It asks the very checks that judge a submission, but no database: quotes, duplicates and contradictions are not its matter,
 * and nothing is ever accepted by it.
 */
import { readAcmt023 } from './iso20022/acmt023.ts';
import { readAcmt024 } from './iso20022/acmt024.ts';
import type { MessageName } from './iso20022/messages.ts';
import { readPacs002 } from './iso20022/pacs002.ts';
import { pacs008Reads, readPacs008Throughout, type Reading } from './iso20022/pacs008.ts';
import type { XmlElement } from './iso20022/tree.ts';
import { foundValid, rejectionOf, within, type Violation } from './iso20022/violation.ts';
import { rejectionsByReference } from './payment.ts';
import type { ReferenceData } from './reference.ts';
import type { Rejection } from './rejection.ts';
import { requestRejectionOf, routeRequest } from './resolution.ts';

/** What a message can be held against; each needs values that the one before it found valid. */
export const layers = ['schema', 'rules', 'reference-data'] as const;
export type Layer = (typeof layers)[number];

export interface DryRun {
  /** What the message was held against; a layer that is left out was not reached, or has nothing to say of such a message. */
  readonly judged: readonly Layer[];
  /** In the order of the layers, each once. */
  readonly rejections: readonly Rejection[];
}

/** A message that was parsed, with what its schema has against it. */
export interface ValidatedMessage {
  readonly name: MessageName;
  readonly document: XmlElement;
  readonly violations: readonly Violation[];
}

export interface DryRunContext {
  readonly reference: ReferenceData;
  /** Clearing system of whoever would submit it; undefined believes the message. */
  readonly submitter: string | undefined;
  /** Epoch milliseconds. */
  readonly now: number;
}

interface Findings {
  readonly judged: readonly Layer[];
  readonly rejections: readonly Rejection[];
}

/** A pacs.008 or an acmt.023 is judged as one that a source submits, a pacs.002 or an acmt.024 as an answer to us. */
export function dryRun(message: ValidatedMessage, context: DryRunContext): DryRun {
  const { name, violations } = message;
  const bySchema = violations.map(name === 'acmt023' ? requestRejectionOf : rejectionOf);
  const { judged, rejections } =
    name === 'pacs008' ? judgePacs008(message, context) : judgeOther(message, context);
  // a value that the schema refuses is refused once: what a rule says of it follows from that
  const faulty = violations.map(({ xpath }) => xpath);
  const byRules = rejections.filter(
    ({ xpath = '' }) => !faulty.some((one) => within(xpath, one) || within(one, xpath)),
  );
  return { judged: ['schema', ...judged], rejections: withoutRepeats([...bySchema, ...byRules]) };
}

const unread: Findings = { judged: [], rejections: [] };

/** Schema faults elsewhere do not keep the rules from being judged, as long as every value that they need was found valid. */
function judgePacs008({ document, violations }: ValidatedMessage, context: DryRunContext): Findings {
  const isReadable =
    foundValid(pacs008Reads.computed, violations) &&
    foundValid(
      pacs008Reads.needed,
      violations.filter(({ stoppedIn }) => stoppedIn !== undefined),
    );
  if (!isReadable) return unread;
  const { value, rejections } = readPacs008Throughout(document);
  const { submitter = value.clearingSystemId } = context;
  return {
    judged: ['rules', 'reference-data'],
    rejections: [...rejections, ...rejectionsByReference(value, { ...context, submitter })],
  };
}

/** The other messages have at most one rule each that a schema cannot say, so that their readers tell all there is. */
function judgeOther({ name, document, violations }: ValidatedMessage, context: DryRunContext): Findings {
  if (violations.length > 0) return unread;
  const rules = (reading: Reading<unknown>): Findings => ({
    judged: ['rules'],
    rejections: reading.ok ? [] : [reading.rejection],
  });
  switch (name) {
    case 'acmt023': {
      const reading = readAcmt023(document);
      if (!reading.ok) return rules(reading);
      const routing = routeRequest(reading.value, context.reference, context.submitter);
      return { judged: ['rules', 'reference-data'], rejections: routing.ok ? [] : [routing.rejection] };
    }
    case 'acmt024':
      return rules(readAcmt024(document));
    case 'pacs002':
      return rules(readPacs002(document));
    case 'pacs008':
    case 'pacs028':
    case 'fxtr017':
      return unread; // their schemas say everything
  }
}

function withoutRepeats(rejections: readonly Rejection[]): readonly Rejection[] {
  const byKey = new Map(rejections.map((one) => [`${one.key} ${one.ruleId} ${one.xpath ?? ''}`, one]));
  return [...byKey.values()];
}
