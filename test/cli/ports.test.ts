// Addresses that the demo prints must be those it got.
import { createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { freePort } from '../../cli/parts/ports.ts';

describe('freePort', () => {
  it('gives the preferred port when it is free, and another one when somebody listens there', async () => {
    const preferred = await freePort();
    const first = createServer();
    await new Promise<void>((listening) => first.listen(preferred, '127.0.0.1', listening));
    const other = await freePort(preferred);
    expect(other).not.toBe(preferred);
    await new Promise((closed) => first.close(closed));
  });

  it('gives a preferred port', async () => {
    const server = createServer();
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const { port } = server.address() as { port: number };
    await new Promise((closed) => server.close(closed));
    expect(await freePort(port)).toBe(port);
  });

  it('never gives the same port twice, although nobody has bound the first one yet', async () => {
    const ports = await Promise.all(Array.from({ length: 50 }, () => freePort()));
    expect(new Set(ports).size).toBe(50);
    const [taken] = ports;
    expect(await freePort(taken)).not.toBe(taken);
  });
});
