// Text of receivers and of other operators cannot act on an operator's terminal.
import { beforeEach, expect, test } from 'vitest';
import { act, show } from '../../cli/ops/commands.ts';
import { pauseOrResume } from '../../cli/ops/pause.ts';
import { evidenceOf } from '../harness/evidence.ts';
import { testGateway } from '../harness/gateway.ts';
import { instruction } from '../../fixtures/instruction.ts';
import { reading } from '../harness/listening.ts';
import { bestQuote, submit } from '../harness/payer.ts';
import { opsOn } from './ops-context.ts';
import { eventually } from '../harness/wait.ts';

// U+009B begins a control sequence as ESC [ does: clear, go home, write, hide; U+202E turns the line around
const hostile = '\u009b2J\u009b1;1HNothing ever left.\u009b8m \u202e\u2028\u0085';
const steering = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;
const callbackUrl = await reading((response) => void response.writeHead(410).end(hostile));
const gateway = await testGateway();
const { lines, context } = opsOn(gateway);
beforeEach(() => void lines.splice(0));

const message = instruction(await bestQuote(gateway));
await submit(gateway, message, { callbackUrl });
await eventually(async () =>
  expect(await evidenceOf(gateway).audit(message.uetr)).toContain('delivery.dead-letter'),
);

test('the answer of a receiver is shown, and steers nothing (CBK-4, OBS-7)', async () => {
  await show(context(), message.uetr, {});
  expect(lines.join()).toContain(
    String.raw`"\u009b2J\u009b1;1HNothing ever left.\u009b8m \u202e\u2028\u0085"`,
  );
  expect(lines.filter((line) => steering.test(line))).toEqual([]);
});

test('so it is where the answer of the gateway is shown as it came, which it still is (OBS-7)', async () => {
  await show(context(), message.uetr, { json: true });
  expect(lines.filter((line) => steering.test(line))).toEqual([]);
  expect(JSON.stringify(JSON.parse(lines.join('')))).toContain(JSON.stringify(hostile).slice(1, -1));
});

test.each(['a\u009b2Jb', 'a\u202eb'])(
  'words of an operator with %j are refused, and the refusal steers nothing (OBS-6, SEC-4)',
  async (words) => {
    const refused = 'must hold no control characters, line separators, overrides of direction';
    await expect(act(context(), { action: 'note', id: message.uetr, note: words }, {})).rejects.toThrow(
      refused,
    );
    await expect(pauseOrResume(context(), 'pause', { party: 'THBPPAY', because: words })).rejects.toThrow(
      refused,
    );
    expect(lines).toEqual([]);
  },
);
