// The program that speaks AMQP 1.0, in a process of its own (amqp-speakers.ts): it makes bytes of messages and hears what
// brokers say of them, and has neither sockets nor secrets but the login. What a broker sends may end this process, never
// the worker (NOT-1, CBK-3). Plain JavaScript, for it must start quickly from the sources too.
import { EventEmitter } from 'node:events';
import rhea from 'rhea';

/** @typedef {import('./amqp-speakers.ts').Talk} Talk */
/** @typedef {import('./amqp-speakers.ts').Said} Said */
/** @typedef {import('./amqp-speakers.ts').Told} Told */
/** @typedef {import('rhea').EventContext} EventContext */

const maxFrameBytes = 16 * 1024; // of one thing that a broker says
const minFrameBytes = 512; // that each side takes (AMQP 1.0, section 2.4.1)
const descriptionBytes = 1_024; // CBK-4
const retireAfterMs = 500; // of processor time, the start included: what is left of the second is for talks under way

const outcomes = /** @type {const} */ (['accepted', 'rejected', 'released', 'modified']);

/** Why a connection, session or link was refused or ended. @type {Readonly<Record<string, string>>} */
const refusals = {
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

/** What stands for the connection of each talk. @type {Map<number, EventEmitter>} */
const lines = new Map();

/** @param {Said} said */
function say(said) {
  if (process.connected) process.send?.(said);
}

/** Begins a talk, in a container of its own. @param {number} talk @param {Talk} about */
function begin(talk, { host, queue, login, body, headers }) {
  const line = Object.assign(new EventEmitter(), {
    write: (/** @type {Buffer} */ bytes) => say({ talk, bytes }),
    end: () => say({ talk, hangsUp: true }),
    destroy: () => undefined,
    get_id_string: () => host,
  });
  lines.set(talk, line);
  const container = rhea.create_container();
  const failed = (/** @type {unknown} */ context) => say({ talk, failed: refusalOf(context) });
  ends.forEach((event) => container.on(event, failed));
  let mayTransfer = true;
  container.on('sendable', (/** @type {EventContext} */ { sender }) => {
    if (sender === undefined || !mayTransfer) return;
    mayTransfer = false;
    say({ talk, transfers: true });
    sender.send(messageOf(body, headers));
  });
  for (const outcome of outcomes) {
    container.on(outcome, (/** @type {EventContext} */ { delivery }) => {
      say({ talk, outcome, description: descriptionOf(delivery?.remote_state) });
      connection.close();
    });
  }
  container.on('connection_open', () => {
    if ((connection.max_frame_size ?? Infinity) >= minFrameBytes) return;
    mayTransfer = false;
    say({ talk, failed: 'not-amqp' });
  });
  const connection = container.connect({
    host,
    port: 0, // it is connected already
    connection_details: () => ({
      host,
      port: 0,
      connect: (/** @type {[unknown, unknown, unknown, () => void]} */ ...[, , , connected]) => {
        setImmediate(connected);
        return line;
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

/**
 * Durable, and under the id that stays the same with each repeat (CBK-1).
 * @param {Buffer} body
 * @param {Talk['headers']} headers
 * @returns {import('rhea').Message}
 */
function messageOf(body, headers) {
  const id = headers['webhook-id'];
  return {
    durable: true,
    ...(id !== undefined && { message_id: id }),
    content_type: headers['content-type'] ?? 'application/octet-stream',
    application_properties: Object.fromEntries(
      Object.entries(headers).filter(([name]) => name.startsWith('webhook-') || name === 'traceparent'),
    ),
    body: rhea.message.data_section(body),
  };
}

/** The description of a refusal, for the record. @param {unknown} state */
function descriptionOf(state) {
  const { error } = /** @type {{ error?: { description?: unknown } }} */ (state ?? {});
  return typeof error?.description === 'string' ? error.description.slice(0, descriptionBytes) : '';
}

/** @param {unknown} context */
function refusalOf(context) {
  const { error, connection, session, sender } = /** @type {Partial<EventContext>} */ (context);
  const found = [error, sender?.error, session?.error, connection?.error].find((one) => one !== undefined);
  const { condition } = /** @type {{ condition?: unknown }} */ (found ?? {});
  return typeof condition === 'string' ? (refusals[condition] ?? 'refused-by-broker') : 'reset';
}

/** Forgets a talk. @param {number} talk */
function leave(talk) {
  // by an error, for only then does the client end its own timers
  lines.get(talk)?.emit('error', new Error('the exchange is over'));
  lines.delete(talk);
  const { user, system } = process.cpuUsage();
  if (user + system > retireAfterMs * 1_000) say({ retires: true });
}

process.on('message', (/** @type {Told} */ told) => {
  if ('about' in told) begin(told.talk, told.about);
  else if ('heard' in told) lines.get(told.talk)?.emit('data', told.heard);
  else if ('isEnd' in told)
    setImmediate(() => lines.get(told.talk)?.emit('end')); // what came before is told first
  else leave(told.talk);
});
process.on('disconnect', () => process.exit()); // the worker is gone
say({ isReady: true });
