/**
 * Lets a second engine validate a sample of the messages in the background. No message waits for the second
 * engine, and its verdict changes nothing. A callback reports whether the two verdicts agree.
 */
import { createHash } from 'node:crypto';
import { assert } from '../core/assert.ts';
import type { MessageName } from '../core/iso20022/messages.ts';
import { mapValue } from '../core/result.ts';
import type { ParsedMessage, SchemaKind, XmlEngine } from './engine.ts';

/** A message that was validated, without personal data. */
export interface Judged {
  readonly message: MessageName;
  readonly schema: SchemaKind;
  /** SHA-256 of the bytes in hexadecimal, as in the column `messages.sha256`. */
  readonly sha256: string;
  /** The verdict of the first engine. It decides. */
  readonly isValid: boolean;
}

export interface SecondOpinionOptions {
  /** Share of the messages that the second engine validates, from 0 to 1. */
  readonly share: number;
  /** Resolves to the second engine, or to undefined if that engine does not work on this machine. */
  readonly second: Promise<XmlEngine | undefined>;
  readonly onOutcome: (outcome: 'same' | 'differs' | 'dropped', judged: Judged) => Promise<void>;
  /** Called if the second engine fails or if `onOutcome` rejects. */
  readonly onFailure: (error: unknown) => void;
}

interface Sample {
  readonly bytes: Uint8Array;
  readonly message: MessageName;
  /** The schema by which both engines validate. */
  readonly schema: SchemaKind;
  readonly isValid: boolean;
}

const mostWaiting = 20; // Samples, each with its bytes. Further samples are dropped.
const restFactor = 4; // Pause per run time. A JVM then uses at most a fifth of one core.

const judgedOf = ({ message, schema, isValid, bytes }: Sample): Judged => ({
  message,
  schema,
  isValid,
  sha256: createHash('sha256').update(bytes).digest('hex'),
});

/** Wraps an engine so that the second engine receives a sample of the validated messages. */
export function withSecondOpinion(
  engine: XmlEngine,
  options: SecondOpinionOptions,
): { readonly engine: XmlEngine; readonly stop: () => void } {
  const { share, second, onOutcome, onFailure } = options;
  const waiting: Sample[] = [];
  let isBusy = false;
  let isStopped = false;

  async function ask(sample: Sample): Promise<void> {
    const other = await second;
    if (other === undefined) return;
    const isValid = await isValidBy(other, sample);
    if (!isStopped) await onOutcome(isValid === sample.isValid ? 'same' : 'differs', judgedOf(sample));
  }

  /** Validates the next sample, unless one is being validated. */
  function askNext(): void {
    const sample = isBusy ? undefined : waiting.shift();
    if (sample === undefined) return;
    isBusy = true;
    const beganAtMs = performance.now();
    const rest = () => {
      const timer = setTimeout(
        () => {
          isBusy = false;
          askNext();
        },
        restFactor * (performance.now() - beganAtMs),
      );
      timer.unref();
    };
    void ask(sample).catch(onFailure).then(rest);
  }

  function offer(sample: Sample): void {
    if (isStopped || Math.random() >= share) return;
    if (waiting.length >= mostWaiting) {
      void onOutcome('dropped', judgedOf(sample)).catch(onFailure);
      return;
    }
    waiting.push(sample);
    askNext();
  }

  const watched = (parsed: ParsedMessage, bytes: Uint8Array): ParsedMessage => ({
    type: parsed.type,
    document: () => parsed.document(),
    dispose: () => parsed.dispose(),
    validate: async (schema = 'guideline') => {
      const violations = await parsed.validate(schema);
      offer({ bytes, message: parsed.type.name, schema, isValid: violations.length === 0 });
      return violations;
    },
  });

  return {
    engine: {
      ...engine,
      parse: (bytes, expected) => mapValue(engine.parse(bytes, expected), (parsed) => watched(parsed, bytes)),
    },
    stop: () => {
      isStopped = true;
      waiting.length = 0;
    },
  };
}

async function isValidBy(engine: XmlEngine, { bytes, message, schema }: Sample): Promise<boolean> {
  const parsed = engine.parse(bytes, [message]);
  assert(parsed.ok, 'both engines open the same messages');
  try {
    return (await parsed.value.validate(schema)).length === 0;
  } finally {
    parsed.value.dispose();
  }
}
