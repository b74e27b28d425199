// What an operator writes down: evidence, reasons and notes, in their own words (OBS-6, LIF-4, LIF-5).
import { z } from '@hono/zod-openapi';
import { steering } from '../core/steering.ts';
import { showsNothing } from '../core/iso20022/white-space.ts';

export const words = z
  .string()
  .min(1)
  .max(2_000)
  .refine((text) => !steering.test(text), {
    error: 'must hold no control characters, line separators or marks of direction',
  })
  .refine((text) => !showsNothing(text), { error: 'must say something' });
