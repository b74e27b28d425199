// Streams answers of any length, with backpressure. If an answer fails midway, its connection is cut, so that
// it never looks complete. The error is logged.
import type { ServerResponse } from 'node:http';
import type { Context } from 'hono';
import type { Logger } from 'pino';
import { aboutRequest } from './access-log.ts';
import { baseHeaders } from './response.ts';

interface Piece {
  readonly piece: string;
  readonly isLast: boolean;
}

const pieceLength = 65_536; // length of one write; the fixed cost of smaller writes would dominate

/** @throws the error of `parts`, if it occurs before anything was sent */
export async function streamed(
  context: Context,
  parts: AsyncIterable<string>,
  { contentType, logger }: { readonly contentType: string; readonly logger: Logger },
): Promise<Response> {
  const encoder = new TextEncoder();
  const iterator = parts[Symbol.asyncIterator]();
  async function nextPiece(): Promise<Piece> {
    let piece = '';
    while (piece.length < pieceLength) {
      const next: IteratorResult<string, void> = await iterator.next();
      if (next.done === true) return { piece, isLast: true };
      piece += next.value;
    }
    return { piece, isLast: false };
  }
  let first: Promise<Piece> | undefined = Promise.resolve(await nextPiece());
  let hasLeft = false;
  const body = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      try {
        const { piece, isLast } = await (first ?? nextPiece());
        first = undefined;
        if (hasLeft) return; // the client has left meanwhile
        if (piece !== '') controller.enqueue(encoder.encode(piece));
        if (isLast) controller.close();
      } catch (error) {
        const { requestId } = aboutRequest(context);
        logger.error({ err: error, requestId }, 'an answer broke off');
        (context.env as { readonly outgoing?: ServerResponse }).outgoing?.destroy();
      }
    },
    cancel: async () => {
      hasLeft = true;
      await iterator.return?.();
    },
  });
  return new Response(body, {
    headers: { ...baseHeaders, 'content-type': contentType, 'cache-control': 'no-store' },
  });
}
