import { z } from '@hono/zod-openapi';

/** A named object of the OpenAPI document. It has these members and no others. */
export function component<Members extends z.ZodRawShape>(
  name: string,
  members: Members,
  description?: string,
) {
  return z.strictObject(members).openapi(name, description === undefined ? {} : { description });
}
