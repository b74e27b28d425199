// Keeps an open page current by server-sent events: the page is made anew every few seconds, and sent if it changed.
import { pageHeaders } from './layout.ts';

const everyMs = 3_000;
/** Then the browser connects again: no stream outlives its session or its api for long. */
const longestMs = 300_000;

/**
 * @param render the page; undefined: its session has ended
 * @param goesOn rejects once the api is asked to stop: the browser then connects to another one
 */
export function liveStream(
  render: () => Promise<string | undefined>,
  goesOn: () => Promise<unknown>,
): Response {
  const encoder = new TextEncoder();
  const endsAtMs = performance.now() + longestMs;
  let shown: string | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isOver = false;
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      const send = (text: string) => controller.enqueue(encoder.encode(text));
      const end = () => {
        isOver = true;
        controller.close();
      };
      async function tick(): Promise<void> {
        // a part that is away for a moment changes nothing on the page
        const page = await render().catch(() => shown ?? '');
        const isStopping = await goesOn().then(
          () => false,
          () => true,
        );
        if (isOver) return;
        if (isStopping) end();
        else if (page === undefined) {
          send('event: end\ndata:\n\n');
          end();
        } else {
          send(
            page === shown || page === ''
              ? ': unchanged\n\n'
              : `event: page\ndata: ${JSON.stringify(page)}\n\n`,
          );
          shown = page;
          if (performance.now() > endsAtMs) end();
          else timer = setTimeout(() => void tick(), everyMs);
        }
      }
      send('retry: 2000\n\n');
      void tick();
    },
    cancel() {
      isOver = true;
      clearTimeout(timer);
    },
  });
  return new Response(body, {
    headers: { ...pageHeaders, 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' },
  });
}
