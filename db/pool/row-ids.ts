// Makes the ids of rows that nobody else chooses: of messages, deliveries and pages of books.
import { randomUUID } from 'node:crypto';

/**
 * A UUID v7 (RFC 9562): milliseconds since 1970, then 74 random bits. New ids are close to each other in an index, so
 * that inserts stay fast when the index is larger than memory. The id tells when it was made, and is no secret.
 */
export function newRowId(): string {
  const milliseconds = Date.now().toString(16).padStart(12, '0');
  return `${milliseconds.slice(0, 8)}-${milliseconds.slice(8)}-7${randomUUID().slice(15)}`;
}
