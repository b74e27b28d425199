// Shows in answers which edition of the external code sets the api uses to judge messages.
import { z } from '@hono/zod-openapi';
import { codeSets } from '../../core/iso20022/external-codes.ts';
import { component } from '../http/component.ts';

export const codeSetsSchema = component(
  'CodeSets',
  {
    edition: z.string().openapi({ description: 'As ISO names it', example: '4Q2024' }),
    published: z.string().openapi({ format: 'date' }),
  },
  'Edition of the external code sets by which this api judges',
);

export function renderCodeSets(): z.infer<typeof codeSetsSchema> {
  const { edition, published } = codeSets();
  return { edition, published };
}
