// The process that speaks to a broker (NOT-1) where it comes up slowly, and where there are too many: what is ours does not
// count against the broker, and a broker has two at most (CBK-3, TIM-3).
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, onTestFinished, test, vi } from 'vitest';
import { createSpeakers, type Speech } from '../../../activities/wire/amqp-speakers.ts';
import { createOutbound } from '../../../activities/wire/outbound.ts';
import { broker } from './broker.ts';
import { post } from './receivers.ts';

const http = createOutbound({ allowLoopback: true, headersTimeoutMs: 2_000, totalTimeoutMs: 2_000 });
afterAll(() => http.close());

test('a process of ours that does not come up in time says nothing about the broker, and comes up for the next message (CBK-3, TIM-3)', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'isthmus-speaker-'));
  const node = process.execPath;
  const [slowNode, starts] = [join(folder, 'node'), join(folder, 'starts')];
  writeFileSync(slowNode, `#!/bin/sh\necho >> ${starts}\nsleep 3\nexec ${node} "$@"\n`, { mode: 0o755 });
  process.execPath = slowNode;
  onTestFinished(() => {
    process.execPath = node;
    rmSync(folder, { recursive: true });
  });
  const { url, taken } = await broker();
  const results: unknown[] = [];
  for (let tries = 0; tries < 20 && taken.length === 0; tries += 1)
    results.push(await post(http, `${url}trades`));
  expect(results.at(-1)).toMatchObject({ outcome: 'ANSWERED', status: 200 });
  expect(results.length).toBeGreaterThan(1);
  for (const one of results.slice(0, -1))
    expect(one).toEqual({ outcome: 'NOT_SENT', errorClass: 'own-resources' });
  expect(readFileSync(starts, 'utf8')).toBe('\n'); // one, however long it took
  expect(http.states()).toEqual([]);
}, 60_000);

test('a broker has two processes that read it at most, whatever it does: who comes then waits for one of them, and that is no lack of ours (CBK-3)', async () => {
  const speakers = createSpeakers();
  onTestFinished(() => speakers.close());
  const about = {
    host: 'broker.example',
    queue: 'trades',
    login: undefined,
    body: Buffer.from('x'),
    headers: {},
  };
  const heard = new Set<string>();
  const talk = (name: string, to = 'broker.example:5672'): Speech =>
    speakers.speak(to, about, {
      said: () => heard.add(name),
      lost: () => undefined,
    });
  const until = (...names: readonly string[]) =>
    vi.waitFor(() => expect([...heard].sort()).toEqual(names), 20_000);

  const first = talk('1 first');
  await until('1 first'); // its process speaks
  talk('1 stuck').leave(true);
  talk('2 first');
  await until('1 first', '2 first');
  talk('2 stuck').leave(true);
  const third = talk('3 first');
  talk('other', 'other.example:5672');
  await until('1 first', '2 first', 'other'); // a third process would have spoken before that one
  expect(third.isStarting()).toBe(false);
  first.leave(false); // and its process with it
  await until('1 first', '2 first', '3 first', 'other');
}, 60_000);
