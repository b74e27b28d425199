// One message to a queue, and what came of it, classified as an HTTP exchange is: AMQP 1.0 over a
// connection, a link and a transfer of its own. What the broker says of the message becomes the HTTP status that means
// the same, so that one table says what follows. The client of AMQP (rhea) takes a broker at its word: so this runs in
// a worker that moves no payments (WORKER_SERVES), and what a broker says is read for a moment only.
import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { createContext, Script } from 'node:vm';
import rhea, { type Connection, type EventContext, type Message } from 'rhea';
import { amqpPorts, type QueueAddress } from '../../core/deliveries/queue-address.ts';
import type { QueueLogins } from '../../core/deliveries/queue-logins.ts';
import type { Connector } from './connect-checked.ts';
import { errorClassOf } from './error-class.ts';
import type { Exchange, PostResult } from './exchange.ts';

interface QueueTransport {
  readonly connector: Connector;
  readonly logins: QueueLogins;
}

const maxAnswerBytes = 64 * 1024; // of all that the broker says, its goodbye included
const maxFrameBytes = 16 * 1024; // of one thing that a broker says
const minFrameBytes = 512; // that each side takes (AMQP 1.0, section 2.4.1)
const descriptionBytes = 1_024;
const goodbyeMs = 1_000;
const longestReadMs = 500; // of a few KiB, which take some milliseconds; also on a machine that is busy

/** What the broker makes of a message (AMQP 1.0, section 3.4), as an HTTP status. */
const statuses = { accepted: 200, rejected: 422, released: 503, modified: 503 } as const;

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
  /** Gives up what is connecting, and later the connection. */
  cancel: () => void;
}

/** What the broker says tells it. */
interface Steps {
  /** @returns whether the bytes of the message may leave now */
  readonly begin: () => boolean;
  readonly answered: (status: number, description: string) => void;
  readonly failed: (errorClass: string) => void;
}

/** Sends once; it has ended when the total limit is over, or the way out is closed. */
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
      // the broker is told, and has a moment to say the same
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
        else failed('answer-unreadable'); // nothing that it could be about
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
    // the connector knows of TLS by the scheme of the web
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

/** @returns ends it */
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
    setImmediate(() => line.emit('end')); // what came before is told first
  };
  converse(line, talk, {
    ...steps,
    begin: () => socket.writable && steps.begin(),
    // of its end the client does not know why
    failed: (errorClass) => steps.failed(errorClass === 'reset' ? (broken ?? errorClass) : errorClass),
  });
  // a broker that goes on and on is not heard to its end; what it said until then counts
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
    line.emit('error', new Error('the exchange is over')); // only then does the client end its own timers
  };
}

const room: { read?: () => void } = createContext({});
const script = new Script('read()');

/** Twenty bytes can have the client count to four billion: what takes longer is broken off. */
function isReadInTime(read: () => void): boolean {
  room.read = read;
  try {
    script.runInContext(room, { timeout: longestReadMs });
    return true;
  } catch {
    return false;
  }
}

/** Has the client say what is to be said over a line, in a container of its own. */
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
    port: 0, // it is connected already
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
    ...(login ?? { username: 'anonymous' }), // without a password: SASL ANONYMOUS
  });
  connection.open_sender({ target: { address: queue }, snd_settle_mode: 0 });
}

/** Durable, and under the id that stays the same with each repeat. */
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

/** The description of a refusal, for the record. */
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
