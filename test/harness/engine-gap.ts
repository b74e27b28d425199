// Between a gateway and the real engine: it passes everything on, but the calls that ask how one execution stands,
// which it answers as an engine does that has lost that one, or the shard that holds it.
import { once } from 'node:events';
import * as http2 from 'node:http2';
import type { AddressInfo } from 'node:net';
import { afterAll } from 'vitest';

export interface EngineGap {
  readonly address: string;
  /** From now on nobody learns how this execution stands. */
  lose(workflowId: string): void;
  /** How often that was asked. */
  asked(): number;
}

const dataLoss = '15';

/** @param address host:port of the engine */
export async function engineGap(address: string): Promise<EngineGap> {
  const lost = new Set<string>();
  let asked = 0;
  const sessions = new Set<http2.ServerHttp2Session>();
  const server = http2.createServer();
  server.on('session', (session) => {
    sessions.add(session);
    session.on('error', () => undefined);
    const far = http2.connect(`http://${address}`);
    far.on('error', () => session.destroy());
    far.on('close', () => session.destroy());
    session.on('close', () => {
      sessions.delete(session);
      far.destroy();
    });
    session.on('stream', (stream, headers) => {
      const chunks: Buffer[] = [];
      stream.on('error', () => undefined);
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const body = Buffer.concat(chunks);
        const path = String(headers[':path']);
        if (path.endsWith('/DescribeWorkflowExecution') && [...lost].some((id) => body.includes(id))) {
          asked += 1;
          stream.respond(
            {
              ':status': 200,
              'content-type': 'application/grpc',
              'grpc-status': dataLoss,
              'grpc-message': 'history is lost',
            },
            { endStream: true },
          );
          return;
        }
        if (far.destroyed || far.closed) {
          stream.close(http2.constants.NGHTTP2_REFUSED_STREAM);
          return;
        }
        const onward = far.request({ ...headers, ':authority': address });
        onward.on('error', () => stream.close(http2.constants.NGHTTP2_INTERNAL_ERROR));
        stream.on('close', () => onward.close(http2.constants.NGHTTP2_CANCEL));
        let trailers: http2.IncomingHttpHeaders = {};
        onward.on('trailers', (given: http2.IncomingHttpHeaders) => (trailers = given));
        onward.on('response', (given, flags) => {
          if (stream.destroyed) return;
          const isOnly = (flags & http2.constants.NGHTTP2_FLAG_END_STREAM) !== 0;
          stream.respond(given, isOnly ? { endStream: true } : { waitForTrailers: true });
          if (isOnly) return;
          stream.on('wantTrailers', () => stream.sendTrailers(trailers));
          onward.on('data', (chunk: Buffer) => void stream.write(chunk));
          onward.on('end', () => stream.end());
        });
        onward.end(body);
      });
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  afterAll(() => {
    for (const session of sessions) session.destroy();
    server.close();
  });
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    lose: (workflowId) => void lost.add(workflowId),
    asked: () => asked,
  };
}
