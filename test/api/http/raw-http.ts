// A client that writes bytes as they are, and reads answers as a careful one does.
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { expect } from 'vitest';

export interface RawAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Not awaited until it is connected, by TLS where the address says so: `localAddress` may be any of 127.0.0.0/8. */
export function open(url: string, localAddress?: string): Promise<Socket> {
  const { hostname, port, protocol } = new URL(url);
  const to = { host: hostname, port: Number(port), ...(localAddress && { localAddress }) };
  const isSecured = protocol === 'https:';
  return new Promise((resolve, reject) => {
    // whose certificate it is says test/api/auth/bound-tokens.test.ts
    const socket = isSecured ? connectTls({ ...to, rejectUnauthorized: false }) : connect(to);
    socket.once(isSecured ? 'secureConnect' : 'connect', () => {
      socket.off('error', reject);
      socket.on('error', () => undefined);
      resolve(socket);
    });
    socket.once('error', reject);
  });
}

/** Everything that comes until the server closes, as answers one after the other. */
export async function answersOn(socket: Socket): Promise<readonly RawAnswer[]> {
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  await new Promise((resolve) => socket.once('close', resolve));
  return parseAnswers(Buffer.concat(chunks).toString('latin1'));
}

/** Sends the text and leaves its own side open, so that it is the server who ends the connection. */
export async function exchange(url: string, text: string): Promise<readonly RawAnswer[]> {
  const socket = await open(url);
  const answers = answersOn(socket);
  socket.write(text, 'latin1');
  return answers;
}

function parseAnswers(text: string): readonly RawAnswer[] {
  const answers: RawAnswer[] = [];
  let rest = text;
  while (rest !== '') {
    const end = rest.indexOf('\r\n\r\n');
    expect(end, `an answer in ${rest.slice(0, 200)}`).toBeGreaterThan(0);
    const [start = '', ...lines] = rest.slice(0, end).split('\r\n');
    const headers = Object.fromEntries(
      lines.map((line) => {
        const colon = line.indexOf(':');
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
      }),
    );
    const bodyStart = end + 4;
    const bodyEnd = bodyStart + Number(headers['content-length'] ?? 0);
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(start)?.[1]);
    answers.push({ status, headers, body: rest.slice(bodyStart, bodyEnd) });
    rest = rest.slice(bodyEnd);
  }
  return answers;
}

/** One refusal of ours: problem+json that says in words what is wrong (SEC-4). */
export function problemOf(answers: readonly RawAnswer[]): {
  readonly status: number;
  readonly code: string;
  readonly detail: string;
} {
  expect(answers).toHaveLength(1);
  const [answer] = answers;
  expect(answer?.headers['content-type'], JSON.stringify(answer)).toBe('application/problem+json');
  expect(answer?.headers).toMatchObject({
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'referrer-policy': 'no-referrer',
    'strict-transport-security': 'max-age=31536000',
  });
  const body = JSON.parse(answer?.body ?? '') as { status: number; code: string; detail: string };
  expect(body).toMatchObject({ type: `urn:isthmus:problem:${body.code}`, status: answer?.status });
  expect(body.detail.length).toBeGreaterThan(20);
  return body;
}
