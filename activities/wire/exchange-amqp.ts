// One message to a queue, and what came of it, classified as an HTTP exchange is (NOT-1, TIM-3): AMQP 1.0 over a
// connection, a link and a transfer of its own. What the broker says of the message becomes the HTTP status that means
// the same, so that one table says what follows: accepted 200, rejected 422, released or modified 503. Here are the
// socket and every limit; what the bytes mean is read elsewhere (amqp-speakers.ts), for they may be made to do harm.
import type { Socket } from 'node:net';
import { amqpPorts, type QueueAddress } from '../../core/deliveries/queue-address.ts';
import type { QueueLogins } from '../../core/deliveries/queue-logins.ts';
import type { Outcome, Speakers, Speech, Word } from './amqp-speakers.ts';
import type { Connector } from './connect-checked.ts';
import { errorClassOf } from './error-class.ts';
import type { Exchange, PostResult } from './exchange.ts';

export interface QueueTransport {
  readonly connector: Connector;
  readonly logins: QueueLogins;
  readonly speakers: Speakers;
}

const maxAnswerBytes = 64 * 1024; // SEC-5: of all that the broker says, its goodbye included
const maxFurtherBytes = 64 * 1024; // that we say to a broker beside the message, which its frames may make twice as long
const goodbyeMs = 1_000;

/** What the broker makes of a message, as an HTTP status. */
const statuses = { accepted: 200, rejected: 422, released: 503, modified: 503 } as const satisfies Record<
  Outcome,
  number
>;

/** How far an exchange has come. */
interface Course {
  ended: boolean;
  /** Whether a byte of the message may have left. */
  begun: boolean;
  readonly timers: NodeJS.Timeout[];
  /** Gives up what is connecting. */
  cancel?: () => void;
  socket?: Socket;
  speech?: Speech;
  /** Why the connection broke off. */
  broken?: string;
  heardBytes: number;
  saidBytes: number;
  readonly maxSaidBytes: number;
}

const newCourse = (bodyBytes: number): Course => ({
  ended: false,
  begun: false,
  timers: [],
  heardBytes: 0,
  saidBytes: 0,
  maxSaidBytes: maxFurtherBytes + 2 * bodyBytes,
});

/** Sends once; it has ended when the total limit is over, or the way out is closed. */
export function exchangeAmqp(
  transport: QueueTransport,
  request: Exchange,
  address: QueueAddress,
  closing: AbortSignal,
): Promise<PostResult> {
  return new Promise((resolve) => {
    const { body, headers, totalTimeoutMs } = request;
    const course = newCourse(body.length);
    const overAt = performance.now() + totalTimeoutMs;
    const end = (result: PostResult) => {
      if (course.ended) return;
      course.ended = true;
      closing.removeEventListener('abort', close);
      course.timers.forEach(clearTimeout);
      course.cancel?.();
      if (result.outcome === 'ANSWERED') hangUp(course, Math.min(goodbyeMs, overAt - performance.now()));
      else cut(course, result.errorClass === 'timeout');
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
    course.timers.push(setTimeout(() => fail(silenceOf(course)), totalTimeoutMs));
    const target = targetOf(address);
    const broker = brokerOf(address);
    const login = transport.logins.get(broker);
    const talk = { host: target.hostname, queue: address.queue, login, body, headers };
    const steps: Steps = {
      begin: () => {
        if (isTooLate()) fail('too-late');
        else if (course.socket?.writable !== true) fail(course.broken ?? 'reset');
        if (course.ended) return;
        course.begun = true;
        course.timers.push(setTimeout(() => fail('timeout'), request.headersTimeoutMs));
      },
      answered: (outcome, description) => {
        if (course.begun) end(answerOf(outcome, description));
        else fail('answer-unreadable'); // nothing that it could be about
      },
      failed: fail,
      broken: (errorClass) => {
        fail(errorClass);
        cut(course, false);
      },
    };
    course.cancel = transport.connector.connect(target, (...[error, socket]) => {
      if (course.ended) socket?.destroy();
      else if (socket === null) fail(errorClassOf(error));
      else {
        course.socket = socket;
        listen(course, socket);
        try {
          course.speech = transport.speakers.speak(broker, talk, {
            said: (word) => follow(course, socket, word, steps),
            lost: steps.broken,
          });
        } catch (shortage) {
          steps.broken(errorClassOf(shortage));
        }
      }
    });
  });
}

/** As long as nobody here has heard the broker, the silence is ours (TIM-3). */
const silenceOf = ({ speech }: Course) => (speech?.isStarting() === true ? 'own-resources' : 'timeout');

function answerOf(outcome: Outcome, description: string): PostResult {
  const body = Buffer.from(description);
  return { outcome: 'ANSWERED', status: statuses[outcome], body, truncated: false, retryAfterMs: null };
}

/** `host:port`: each has a process, and perhaps a login, of its own. */
export function brokerOf(address: QueueAddress): string {
  const { hostname, port } = targetOf(address);
  return `${hostname}:${port}`;
}

function targetOf({ at }: QueueAddress) {
  const isSecure = at.scheme === 'amqps';
  // the connector knows of TLS by the scheme of the web
  const protocol = isSecure ? 'https:' : 'http:';
  return { protocol, hostname: at.host, port: at.port ?? amqpPorts[isSecure ? 'amqps' : 'amqp'] };
}

/** What the steps of an exchange tell it. */
interface Steps {
  /** The bytes of the message come now: they may leave, unless the exchange has ended. */
  readonly begin: () => void;
  readonly answered: (outcome: Outcome, description: string) => void;
  readonly failed: (errorClass: string) => void;
  /** The same, and no goodbye goes on. */
  readonly broken: (errorClass: string) => void;
}

/**
 * A broker that goes on and on is not heard to its end. What it said until then counts: only who reads it can tell whether
 * an answer was among it.
 */
function listen(course: Course, socket: Socket): void {
  const ended = (errorClass?: string) => {
    if (errorClass !== undefined) course.broken ??= errorClass;
    course.speech?.hearEnd();
  };
  socket.on('data', (bytes) => {
    course.speech?.hear(bytes.subarray(0, maxAnswerBytes - course.heardBytes));
    course.heardBytes += bytes.length;
    if (course.heardBytes <= maxAnswerBytes) return;
    socket.destroy();
    ended('answer-too-large');
  });
  socket.once('end', () => ended());
  socket.on('error', (error) => ended(errorClassOf(error)));
  socket.once('close', () => ended());
}

/** Once the socket is cut nothing leaves, whatever is still said. */
function follow(course: Course, socket: Socket, word: Word, steps: Steps): void {
  if ('transfers' in word) steps.begin();
  else if ('outcome' in word) steps.answered(word.outcome, word.description);
  else if ('failed' in word) {
    // of its end the client does not know why
    steps.failed(word.failed === 'reset' ? (course.broken ?? word.failed) : word.failed);
  } else if ('hangsUp' in word) socket.end();
  else {
    course.saidBytes += word.bytes.length;
    if (course.saidBytes > course.maxSaidBytes) steps.broken('answer-unreadable');
    else if (socket.writable) socket.write(word.bytes);
  }
}

/** The broker is told, and has a moment to say the same. */
function hangUp(course: Course, ms: number): void {
  if (course.socket?.destroyed !== false) {
    cut(course, false);
    return;
  }
  const timer = setTimeout(() => cut(course, false), ms);
  course.socket.once('close', () => {
    clearTimeout(timer);
    cut(course, false);
  });
}

function cut({ socket, speech }: Course, isStuck: boolean): void {
  socket?.destroy();
  speech?.leave(isStuck);
}
