// An FX provider that takes its fxtr.017 from a queue (NOT-1): told once, also where its broker is away at first; and,
// where RabbitMQ is installed, through RabbitMQ.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect as connectTo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import rhea, { type EventContext } from 'rhea';
import { afterAll, expect, test } from 'vitest';
import { freePort } from '../../cli/parts/ports.ts';
import { broker } from '../activities/wire/broker.ts';
import { evidenceOf } from '../harness/evidence.ts';
import { testGateway } from '../harness/gateway.ts';
import { instruction } from '../../fixtures/instruction.ts';
import { bestQuote, submit } from '../harness/payer.ts';
import { eventually } from '../harness/wait.ts';

const gateway = await testGateway();
const evidence = evidenceOf(gateway);

const takeFrom = (url: string) =>
  gateway.db.updateTable('fxp_endpoints').set({ notification_url: url }).execute();

/** A credited payment; answers its UETR and quote as an fxtr.017 names them. */
async function pay(): Promise<{ readonly uetr: string; readonly references: readonly string[] }> {
  const quote = await bestQuote(gateway);
  const message = instruction(quote);
  await submit(gateway, message);
  return {
    uetr: message.uetr,
    references: [message.uetr, quote.quoteId].map((id) => id.replaceAll('-', '')),
  };
}

const attemptsOf = (uetr: string) =>
  gateway.db
    .selectFrom('delivery_attempts as a')
    .innerJoin('deliveries as d', 'd.delivery_id', 'a.delivery_id')
    .select(['a.outcome', 'a.http_status', 'a.error_class'])
    .where('d.subject_id', '=', uetr)
    .where('d.kind', '=', 'notification')
    .orderBy('a.attempt')
    .execute();

const textOf = (body: unknown) => String((body as { readonly content: Buffer }).content);
const accepted = { outcome: 'ANSWERED', http_status: 200, error_class: null };

test('the trade of a credited payment is put into the queue once, durable, under its MsgId', async () => {
  const { url, taken } = await broker();
  await takeFrom(`${url}fxtr017`);
  const { uetr, references } = await pay();
  await evidence.closed(uetr);
  expect(taken).toHaveLength(1);
  const [message] = taken;
  const text = textOf(message?.body);
  for (const reference of references) expect(text).toContain(reference);
  expect(text).toContain(`<MsgId>${String(message?.message_id)}</MsgId>`);
  expect(message?.durable).toBe(true);
  expect(await attemptsOf(uetr)).toEqual([accepted]);
});

test('a message that the broker releases comes again, in the same bytes, until it is accepted (CBK-1)', async () => {
  let times = 0;
  const { url, taken } = await broker({ take: (one) => ((times += 1) < 3 ? one.release() : one.accept()) });
  await takeFrom(`${url}fxtr017`);
  const { uetr } = await pay();
  await evidence.closed(uetr);
  expect(new Set(taken.map(({ body, message_id: id }) => `${String(id)} ${textOf(body)}`)).size).toBe(1);
  expect(taken).toHaveLength(3);
  const released = { outcome: 'ANSWERED', http_status: 503, error_class: null };
  expect(await attemptsOf(uetr)).toEqual([released, released, accepted]);
});

const hasRabbit = spawnSync('which', ['rabbitmq-server']).status === 0;
if (!hasRabbit)
  process.stderr.write(
    'test/system/notification-queue: RabbitMQ is not installed (Debian: apt-get install rabbitmq-server), so queues are held against a broker of the test only\n',
  );

const folder = hasRabbit ? mkdtempSync(join(tmpdir(), 'isthmus-rabbit-')) : '';
const stops: (() => void)[] = [];
afterAll(() => {
  for (const stop of stops) stop();
  if (hasRabbit) rmSync(folder, { recursive: true, force: true });
});

/** A node of its own, with the plugin of AMQP 1.0; answers its port. */
async function rabbit(): Promise<number> {
  const [port, distribution, names] = [await freePort(), await freePort(), await freePort()];
  writeFileSync(join(folder, 'rabbitmq.conf'), `listeners.tcp.default = 127.0.0.1:${port}\n`);
  writeFileSync(join(folder, 'enabled'), '[rabbitmq_amqp1_0].');
  const server = spawn('/usr/lib/rabbitmq/bin/rabbitmq-server', {
    stdio: 'ignore',
    detached: true,
    env: {
      ...process.env,
      HOME: folder,
      ERL_EPMD_ADDRESS: '127.0.0.1', // Erlang's name server, one of its own: it goes on when the node has ended
      ERL_EPMD_PORT: String(names),
      RABBITMQ_NODENAME: `isthmus-${port}@localhost`,
      RABBITMQ_DIST_PORT: String(distribution),
      RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: '-kernel inet_dist_use_interface {127,0,0,1}',
      RABBITMQ_MNESIA_BASE: join(folder, 'mnesia'),
      RABBITMQ_LOG_BASE: join(folder, 'log'),
      RABBITMQ_CONFIG_FILE: join(folder, 'rabbitmq'),
      RABBITMQ_ENABLED_PLUGINS_FILE: join(folder, 'enabled'),
    },
  });
  stops.push(() => {
    if (server.pid !== undefined) process.kill(-server.pid, 'SIGKILL');
    spawnSync('epmd', ['-port', String(names), '-relaxed_command_check', '-kill']);
  });
  await eventually(
    () =>
      new Promise<void>((resolve, reject) => {
        const socket = connectTo(port, '127.0.0.1', () => {
          socket.destroy();
          resolve();
        });
        socket.once('error', reject);
      }),
    { everyMs: 500, limitMs: 60_000 },
  );
  return port;
}

test.skipIf(!hasRabbit)(
  'through RabbitMQ, which was away when the trade was made: it is told when it is back (CBK-1, NOT-1)',
  async () => {
    const away = await freePort();
    await takeFrom(`amqp://127.0.0.1:${away}/fxtr017`);
    const { uetr, references } = await pay();
    await eventually(async () => expect(await attemptsOf(uetr)).toHaveLength(2));
    const port = await rabbit();
    const got: string[] = [];
    const container = rhea.create_container();
    container.on('message', ({ message }: EventContext) => void got.push(textOf(message?.body)));
    container.on('disconnected', () => undefined);
    const reader = container.connect({
      host: '127.0.0.1',
      port,
      username: 'guest',
      password: 'guest',
      reconnect: false,
    });
    reader.open_receiver('/queue/fxtr017');
    await takeFrom(`amqp://127.0.0.1:${port}/fxtr017`);
    await eventually(() => expect(got).toHaveLength(1), { limitMs: 60_000 });
    for (const reference of references) expect(got[0]).toContain(reference);
    await evidence.closed(uetr);
    expect((await attemptsOf(uetr)).at(-1)).toEqual(accepted);
    reader.close();
  },
);
