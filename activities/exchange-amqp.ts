// One message to a queue, and what came of it, classified as an HTTP exchange is (NOT-1, TIM-3): AMQP 1.0 over a
// connection, a link and a transfer of its own. What the broker says of the message becomes the HTTP status that means
// the same, so that one table says what follows: accepted 200, rejected 422, released or modified 503.
import rhea, { type Connection, type Delivery, type EventContext, type Message, type Sender } from 'rhea';
import type { Socket } from 'node:net';
import { amqpPorts, type QueueAddress } from '../core/queue-address.ts';
import type { QueueLogins } from '../core/queue-logins.ts';
import type { Connector } from './connect-checked.ts';
import { errorClassOf } from './error-class.ts';
import type { Exchange, PostResult } from './exchange.ts';

export interface QueueTransport {
  readonly connector: Connector;
  readonly logins: QueueLogins;
}

const maxAnswerBytes = 64 * 1024; // SEC-5: of all that the broker says
const maxFrameBytes = 16 * 1024; // of one thing that it says
const goodbyeMs = 1_000;

/** What the broker makes of a message (AMQP 1.0, section 3.4), as an HTTP status. */
const statuses = { accepted: 200, rejected: 422, released: 503, modified: 503 } as const;
type Outcome = keyof typeof statuses;
const outcomes = Object.keys(statuses) as Outcome[];

/** Why a connection, session or link was refused or ended. */
const refusals: Readonly<Record<string, string>> = {
  'amqp:unauthorized-access': 'not-authorized',
  'amqp:not-found': 'no-such-queue',
};
const ends = [
  'sender_error',
  'sender_close',
  'session_error',
  'session_close',
  'connection_error',
  'connection_close',
  'protocol_error',
  'disconnected',
  'error',
];

/** How far an exchange has come. */
interface Course {
  ended: boolean;
  /** Whether a byte of the message may have left. */
  begun: boolean;
  readonly timers: NodeJS.Timeout[];
  /** Gives up what is connecting. */
  cancel?: () => void;
  socket?: Socket;
  connection?: Connection;
}

/** Sends once; it has ended when the total limit is over, or the way out is closed. */
export function exchangeAmqp(
  transport: QueueTransport,
  request: Exchange,
  { at, queue }: QueueAddress,
  closing: AbortSignal,
): Promise<PostResult> {
  return new Promise((resolve) => {
    const course: Course = { ended: false, begun: false, timers: [] };
    const end = (result: PostResult) => {
      if (course.ended) return;
      course.ended = true;
      closing.removeEventListener('abort', close);
      hangUp(course, result.outcome === 'ANSWERED');
      resolve(result);
    };
    const fail = (errorClass: string) =>
      end({ outcome: course.begun ? 'MAYBE_SENT' : 'NOT_SENT', errorClass });
    const close = () => fail('closed');
    const isTooLate = () => request.sendBefore !== undefined && performance.now() >= request.sendBefore;
    if (closing.aborted || isTooLate()) {
      fail(closing.aborted ? 'closed' : 'too-late');
      return;
    }
    closing.addEventListener('abort', close);
    course.timers.push(setTimeout(() => fail('timeout'), request.totalTimeoutMs));
    const port = at.port ?? amqpPorts[at.scheme === 'amqps' ? 'amqps' : 'amqp'];
    // the connector knows of TLS by the scheme of the web
    const target = { protocol: at.scheme === 'amqps' ? 'https:' : 'http:', hostname: at.host, port };
    const transfer = (sender: Sender) => {
      if (course.begun || course.ended) return;
      if (isTooLate()) {
        fail('too-late');
        return;
      }
      course.begun = true;
      course.timers.push(setTimeout(() => fail('timeout'), request.headersTimeoutMs));
      sender.send(messageOf(request));
    };
    const answered = (outcome: Outcome, body: Buffer) =>
      end({
        outcome: 'ANSWERED',
        status: statuses[outcome],
        body,
        truncated: false,
        retryAfterMs: null,
      });
    const login = transport.logins.get(`${at.host}:${port}`);
    course.cancel = transport.connector.connect(target, (...[error, socket]) => {
      if (course.ended) socket?.destroy();
      else if (socket === null) fail(errorClassOf(error));
      else {
        course.socket = socket;
        limitAnswer(socket, () => fail('answer-too-large'));
        course.connection = speak(socket, { host: at.host, queue, login, transfer, answered, failed: fail });
      }
    });
  });
}

interface Talk {
  readonly host: string;
  readonly queue: string;
  readonly login: { readonly username: string; readonly password: string } | undefined;
  /** The broker takes a message now. */
  readonly transfer: (sender: Sender) => void;
  readonly answered: (outcome: Outcome, said: Buffer) => void;
  readonly failed: (errorClass: string) => void;
}

/** A container of its own, so that nothing that a broker says reaches another exchange. */
function speak(socket: Socket, talk: Talk): Connection {
  const container = rhea.create_container();
  const failed = (context: unknown) => talk.failed(refusalOf(context));
  ends.forEach((event) => container.on(event, failed));
  container.on('sendable', ({ sender }: EventContext) => {
    if (sender !== undefined) talk.transfer(sender);
  });
  outcomes.forEach((outcome) =>
    container.on(outcome, ({ delivery }: EventContext) =>
      talk.answered(outcome, saidOf(delivery?.remote_state)),
    ),
  );
  const connection = container.connect({
    host: talk.host,
    port: 0, // it is connected already
    connection_details: () => ({
      host: talk.host,
      port: 0,
      connect: (...[, , , connected]: [unknown, unknown, unknown, () => void]) => {
        setImmediate(connected);
        return socket;
      },
    }),
    reconnect: false,
    hostname: talk.host,
    max_frame_size: maxFrameBytes,
    channel_max: 0,
    ...(talk.login ?? { username: 'anonymous' }), // without a password: SASL ANONYMOUS
  });
  connection.open_sender({ target: { address: talk.queue }, snd_settle_mode: 0 });
  return connection;
}

/** Durable, and under the id that stays the same with each repeat (CBK-1). */
function messageOf({ body, headers }: Exchange): Message {
  const id = headers['webhook-id'];
  return {
    durable: true,
    ...(id !== undefined && { message_id: id }),
    content_type: headers['content-type'] ?? 'application/octet-stream',
    application_properties: Object.fromEntries(
      Object.entries(headers).filter(([name]) => name.startsWith('webhook-') || name === 'traceparent'),
    ),
    // typed as one of several kinds of section, but any is read
    body: rhea.message.data_section(body) as unknown,
  };
}

/** The description of a refusal, for the record (CBK-4). */
function saidOf(state: Delivery['remote_state']): Buffer {
  const { error } = (state ?? {}) as { readonly error?: { readonly description?: unknown } };
  return Buffer.from(typeof error?.description === 'string' ? error.description : '');
}

function refusalOf(context: unknown): string {
  const { error, connection, session, sender } = context as Partial<EventContext>;
  const found = [error, sender?.error, session?.error, connection?.error].find((one) => one !== undefined);
  const { condition } = (found ?? {}) as { readonly condition?: unknown };
  if (typeof condition === 'string') return refusals[condition] ?? 'refused-by-broker';
  return found instanceof Error && 'code' in found ? errorClassOf(found) : 'reset';
}

/** A broker that goes on and on is not heard. */
function limitAnswer(socket: Socket, exceeded: () => void): void {
  let bytes = 0;
  socket.on('data', ({ length }) => {
    bytes += length;
    if (bytes > maxAnswerBytes) exceeded();
  });
}

/** @param politely the broker is told, and has a second to say the same */
function hangUp({ timers, cancel, socket, connection }: Course, politely: boolean): void {
  timers.forEach(clearTimeout);
  cancel?.();
  if (socket === undefined) return;
  // by an error, for only then does the client end its own timers
  const cut = () => void socket.destroy(new Error('the exchange is over'));
  if (!politely || connection === undefined) {
    cut();
    return;
  }
  connection.close();
  const timer = setTimeout(cut, goodbyeMs);
  socket.once('close', () => {
    clearTimeout(timer);
  });
}
