/** An AMQP 1.0 broker for one test: a peer of the same protocol that does with each message as it is told. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import rhea, { type Delivery, type EventContext, type Message } from 'rhea';
import { onTestFinished } from 'vitest';

export interface TestBroker {
  /** With a slash at its end. */
  readonly url: string;
  /** `host:port`, as logins name it. */
  readonly host: string;
  readonly taken: readonly Message[];
}

export interface Broker {
  /** What it does with a message; default: accept it. */
  readonly take?: (delivery: Delivery) => void;
  /** Does not say at once that it takes messages. */
  readonly isMute?: true;
  readonly login?: { readonly username: string; readonly password: string };
  /** Refuses every queue but this one. */
  readonly queue?: string;
  /** PEM: it speaks TLS. */
  readonly tls?: { readonly cert: string; readonly key: string };
}

export async function broker({ take, isMute, login, queue, tls }: Broker = {}): Promise<TestBroker> {
  const taken: Message[] = [];
  const container = rhea.create_container();
  ['error', 'connection_error', 'protocol_error', 'disconnected'].forEach((event) =>
    container.on(event, () => undefined),
  );
  if (login !== undefined) {
    const mechanisms = container.sasl_server_mechanisms as { enable_plain: (check: unknown) => void };
    mechanisms.enable_plain(
      (username: string, password: string) => username === login.username && password === login.password,
    );
  }
  container.on('receiver_open', ({ receiver }: EventContext) => {
    const address = receiver?.target.address;
    if (queue !== undefined && address !== queue)
      receiver?.close({ condition: 'amqp:not-found', description: 'no such queue' });
  });
  container.on('message', ({ message, delivery }: EventContext) => {
    if (message !== undefined) taken.push(message);
    if (delivery !== undefined) (take ?? ((one) => one.accept()))(delivery);
  });
  const server = container.listen({
    host: '127.0.0.1',
    port: 0,
    ...(tls && { ...tls, transport: 'tls' }),
    receiver_options: { autoaccept: false, ...(isMute && { credit_window: 0 }) },
  });
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url: `amqp${tls === undefined ? '' : 's'}://${host}/`, host, taken };
}
