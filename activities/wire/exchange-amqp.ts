// Sends one message to a queue by AMQP 1.0, with its own connection, link and transfer. The broker's outcome
// becomes the HTTP status with the same meaning, so that one table covers both transports. The AMQP client
// (rhea) trusts the broker. So this code runs only in a worker that processes no payments (WORKER_SERVES),
// and it limits the time for reading the broker's bytes.
import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { createContext, Script } from 'node:vm';
import rhea, { type Connection, type EventContext, type Message } from 'rhea';
import { amqpPorts, type QueueAddress } from '../../core/deliveries/queue-address.ts';
import type { QueueLogins } from '../../core/settings/receivers.ts';
import type { Connector } from './connect-checked.ts';
import { errorClassOf } from './error-class.ts';
import type { Exchange, PostResult } from './exchange.ts';

interface QueueTransport {
  readonly connector: Connector;
  readonly logins: QueueLogins;
}

const maxAnswerBytes = 64 * 1024; // For all frames from the broker, including its close frame.
const maxFrameBytes = 16 * 1024; // For one frame from the broker.
const minFrameBytes = 512; // Each side must accept frames of this size (AMQP 1.0, section 2.4.1).
const descriptionBytes = 1_024;
const goodbyeMs = 1_000;
// Milliseconds. A few KiB take only some milliseconds, so this is enough even on a busy machine.
const longestReadMs = 500;

/** The broker's delivery outcomes (AMQP 1.0, section 3.4), as HTTP statuses. */
const statuses = { accepted: 200, rejected: 422, released: 503, modified: 503 } as const;

/** Error classes by AMQP condition. They tell why a connection, session or link was refused or ended. */
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

interface Course {
  ended: boolean;
  /** Whether a byte of the message may have left. */
  begun: boolean;
  readonly timers: NodeJS.Timeout[];
  /** Cancels the attempt to connect, or closes the connection. */
  cancel: () => void;
}

interface Steps {
  /** @returns whether the bytes of the message may leave now */
  readonly begin: () => boolean;
  readonly answered: (status: number, description: string) => void;
  readonly failed: (errorClass: string) => void;
}

/** Sends once. Resolves at the latest when the total time limit is over or `closing` is aborted. */
export function exchangeAmqp(
  { connector, logins }: QueueTransport,
  request: Exchange,
  { at, queue }: QueueAddress,
  closing: AbortSignal,
): Promise<PostResult> {
  return new Promise((resolve) => {
    const course: Course = { ended: false, begun: false, timers: [], cancel: () => undefined };
    const end = (result: PostResult) => {
      resolve(result);
      if (course.ended) return;
      course.ended = true;
      closing.removeEventListener('abort', close);
      course.timers.forEach(clearTimeout);
      // The AMQP library (rhea) has sent the close frame; leave the broker time to confirm it.
      if (result.outcome === 'ANSWERED') setTimeout(course.cancel, goodbyeMs).unref();
      else course.cancel();
    };
    const failed = (errorClass: string) =>
      end({ outcome: course.begun ? 'MAYBE_SENT' : 'NOT_SENT', errorClass });
    const close = () => failed('closed');
    const isTooLate = () => request.sendBefore !== undefined && performance.now() >= request.sendBefore;
    const steps: Steps = {
      begin: () => {
        if (isTooLate()) failed('too-late');
        if (course.ended) return false;
        course.begun = true;
        course.timers.push(setTimeout(() => failed('timeout'), request.headersTimeoutMs));
        return true;
      },
      answered: (status, description) => {
        const body = Buffer.from(description);
        if (course.begun) end({ outcome: 'ANSWERED', status, body, truncated: false, retryAfterMs: null });
        else failed('answer-unreadable'); // The outcome cannot be about a message that was not sent.
      },
      failed,
    };
    if (closing.aborted || isTooLate()) {
      failed(closing.aborted ? 'closed' : 'too-late');
      return;
    }
    closing.addEventListener('abort', close);
    course.timers.push(setTimeout(() => failed('timeout'), request.totalTimeoutMs));
    const isSecure = at.scheme === 'amqps';
    const port = at.port ?? amqpPorts[isSecure ? 'amqps' : 'amqp'];
    // The connector uses TLS for the protocol "https:".
    const target = { protocol: isSecure ? 'https:' : 'http:', hostname: at.host, port };
    course.cancel = connector.connect(target, (...[error, socket]) => {
      if (course.ended) socket?.destroy();
      else if (socket === null) failed(errorClassOf(error));
      else {
        const talk = { host: at.host, queue, login: logins.get(`${at.host}:${port}`), request };
        course.cancel = speak(socket, talk, steps);
      }
    });
  });
}

interface Talk {
  readonly host: string;
  readonly queue: string;
  readonly login: { readonly username: string; readonly password: string } | undefined;
  readonly request: Exchange;
}

/** Runs the AMQP protocol over a connected socket. @returns a function that ends the conversation */
function speak(socket: Socket, talk: Talk, steps: Steps): () => void {
  let broken: string | undefined;
  let heardBytes = 0;
  const line = Object.assign(new EventEmitter(), {
    write: (bytes: Buffer) => socket.writable && socket.write(bytes),
    end: () => socket.end(),
    destroy: () => undefined,
    get_id_string: () => talk.host,
  });
  const ended = (errorClass?: string) => {
    broken ??= errorClass;
    setImmediate(() => line.emit('end')); // After the data that arrived before.
  };
  converse(line, talk, {
    ...steps,
    begin: () => socket.writable && steps.begin(),
    // The AMQP library (rhea) does not know why the connection ended, so use `broken`.
    failed: (errorClass) => steps.failed(errorClass === 'reset' ? (broken ?? errorClass) : errorClass),
  });
  // Read only the first maxAnswerBytes of a broker that sends endlessly. An outcome among these bytes counts.
  socket.on('data', (bytes) => {
    const heard = bytes.subarray(0, maxAnswerBytes - heardBytes);
    heardBytes += bytes.length;
    if (!isReadInTime(() => line.emit('data', heard))) {
      socket.destroy();
      steps.failed('answer-unreadable');
    } else if (heardBytes > maxAnswerBytes) {
      socket.destroy();
      ended('answer-too-large');
    }
  });
  socket.once('end', () => ended());
  socket.on('error', (error) => ended(errorClassOf(error)));
  socket.once('close', () => ended());
  return () => {
    socket.destroy();
    // The AMQP library (rhea) stops its timers only on an error.
    line.emit('error', new Error('the exchange is over'));
  };
}

const room: { read?: () => void } = createContext({});
const script = new Script('read()');

/**
 * Runs `read` with a time limit, because twenty malicious bytes can make rhea loop four billion times.
 * @returns false if the limit was reached, or if `read` threw
 */
function isReadInTime(read: () => void): boolean {
  room.read = read;
  try {
    script.runInContext(room, { timeout: longestReadMs });
    return true;
  } catch {
    return false;
  }
}

/** Sends the message over `line` with rhea, in a separate AMQP container. */
function converse(line: EventEmitter, { host, queue, login, request }: Talk, steps: Steps): void {
  const container = rhea.create_container();
  for (const event of ends) container.on(event, (context) => steps.failed(refusalOf(context)));
  let mayTransfer = true;
  container.on('sendable', ({ sender }: EventContext) => {
    if (sender === undefined || !mayTransfer) return;
    mayTransfer = false;
    if (steps.begin()) sender.send(messageOf(request));
  });
  for (const [outcome, status] of Object.entries(statuses)) {
    container.on(outcome, ({ delivery }: EventContext) => {
      connection.close();
      steps.answered(status, descriptionOf(delivery?.remote_state));
    });
  }
  container.on('connection_open', () => {
    if ((connection.max_frame_size ?? Infinity) >= minFrameBytes) return;
    mayTransfer = false;
    steps.failed('not-amqp');
  });
  const connection: Connection = container.connect({
    host,
    port: 0, // The socket is connected already, so rhea does not use the port.
    connection_details: () => ({
      host,
      port: 0,
      connect: (...[, , , connected]: [unknown, unknown, unknown, () => void]) => {
        setImmediate(connected);
        return line as unknown as Socket;
      },
    }),
    reconnect: false,
    hostname: host,
    max_frame_size: maxFrameBytes,
    channel_max: 0,
    ...(login ?? { username: 'anonymous' }), // Without a password, rhea uses SASL ANONYMOUS.
  });
  connection.open_sender({ target: { address: queue }, snd_settle_mode: 0 });
}

/** A durable message. Its id stays the same at each repeat, so that the receiver can recognise repeats. */
function messageOf({ body, headers }: Exchange): Message {
  const id = headers['webhook-id'];
  return {
    durable: true,
    ...(id !== undefined && { message_id: id }),
    content_type: headers['content-type'] ?? 'application/octet-stream',
    application_properties: Object.fromEntries(
      Object.entries(headers).filter(([name]) => name.startsWith('webhook-') || name === 'traceparent'),
    ),
    body: rhea.message.data_section(body) as unknown,
  };
}

function descriptionOf(state: unknown): string {
  const { error } = (state ?? {}) as { error?: { description?: unknown } };
  return typeof error?.description === 'string' ? error.description.slice(0, descriptionBytes) : '';
}

function refusalOf(context: unknown): string {
  const { error, connection, session, sender } = context as Partial<EventContext>;
  const found = [error, sender?.error, session?.error, connection?.error].find((one) => one !== undefined);
  const { condition } = (found ?? {}) as { condition?: unknown };
  return typeof condition === 'string' ? (refusals[condition] ?? 'refused-by-broker') : 'reset';
}
