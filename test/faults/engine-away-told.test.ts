// While Temporal does not answer, operators and Prometheus are told that nothing goes out.
import { expect, test } from 'vitest';
import { enquire, listParties, show } from '../../cli/ops/commands.ts';
import { opsOn } from '../cli/ops-context.ts';
import { testGateway } from '../harness/gateway.ts';
import { ownTemporal } from '../harness/own-temporal.ts';
import { heard, undecided } from '../harness/reports.ts';

const engine = await ownTemporal({});
const gateway = await testGateway({ temporalAddress: engine.address });
const { lines, context } = opsOn(gateway);

const gauge = async () => {
  const text = await (await fetch(`${gateway.telemetryUrl('api')}/metrics`)).text();
  return /^isthmus_part_answers\{part="temporal"\} (\d)$/m.exec(text)?.[1];
};

test('an enquiry, a payment and the parties say that Temporal does not answer and nothing goes out, and a metric says so (OBS-2, OBS-7)', async () => {
  const { uetr } = await undecided(gateway, { priority: 'NORM' });
  await heard(gateway, uetr);
  const commands = [
    () => listParties(context(), { minutes: '10' }),
    () => show(context(), uetr, {}),
    () => enquire(context(), uetr, {}),
  ];
  const said = async () => {
    const all: string[] = [];
    for (const command of commands) {
      lines.splice(0);
      await command();
      all.push(lines.find((line) => line.includes('Temporal')) ?? '-');
    }
    return all;
  };
  expect([await gauge(), ...(await said()).slice(0, 2)]).toEqual(['1', '-', '-']);
  engine.freeze();
  try {
    const told = expect.stringMatching(
      /Temporal does not answer: nothing goes out until it does\.$/,
    ) as string;
    expect(await said()).toEqual([told, told, told]);
    expect(await gauge()).toBe('0');
  } finally {
    engine.thaw();
  }
  await expect.poll(gauge).toBe('1');
});
