import { z } from '@hono/zod-openapi';

/** Makes a named object schema of the OpenAPI document. The object has these members and no others. */
export function component<Members extends z.ZodRawShape>(
  name: string,
  members: Members,
  description?: string,
) {
  return z.strictObject(members).openapi(name, description === undefined ? {} : { description });
}
