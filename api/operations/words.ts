// The schema of text that an operator writes: evidence, reasons and notes.
import { z } from '@hono/zod-openapi';
import { misleads } from '../../core/payments/steering.ts';
import { showsNothing } from '../../core/iso20022/tree.ts';

export const words = z
  .string()
  .min(1, { abort: true })
  .max(2_000)
  .refine((text) => !misleads(text), {
    error:
      'must hold no control characters, line separators, overrides of direction, or isolates that are nested or not closed',
  })
  .refine((text) => !showsNothing(text), { error: 'must say something' });
