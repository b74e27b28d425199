// A changed workflow is refused until it is versioned: workflow code is changed in a copy, as a hand might change it,
// and judged by what judges the code itself (replay.test.ts).
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleWorkflowCode, DefaultLogger, type WorkflowBundleWithSourceMap } from '@temporalio/worker';
import { afterAll, expect, test } from 'vitest';
import { historiesOf, recordedReleases, replay } from './replaying.ts';

const root = join(import.meta.dirname, '..', '..');
const copies: string[] = [];
afterAll(() => copies.forEach((copy) => rmSync(copy, { recursive: true })));

/** A text of a file and what stands there instead. */
type Change = readonly [file: string, from: string, to: string];

/** The workflow code with these changes, bundled as for production. */
async function bundleWith(changes: readonly Change[]): Promise<WorkflowBundleWithSourceMap> {
  const copy = mkdtempSync(join(tmpdir(), 'isthmus-changed-'));
  copies.push(copy);
  for (const part of ['core', 'contract', 'workflows', 'package.json'])
    cpSync(join(root, part), join(copy, part), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  for (const [file, from, to] of changes) {
    const path = join(copy, file);
    const text = readFileSync(path, 'utf8');
    expect(text.split(from), `${file} has this once: ${from}`).toHaveLength(2);
    writeFileSync(
      path,
      text.replace(from, () => to),
    );
  }
  return bundleWorkflowCode({
    workflowsPath: join(copy, 'workflows', 'index.ts'),
    logger: new DefaultLogger('ERROR'),
  });
}

/** The histories that cannot go on under the changed code, each with the reason. */
async function refusedUnder(changes: readonly Change[]): Promise<ReadonlyMap<string, string>> {
  const refusals = await replay(await bundleWith(changes));
  expect(refusals.size).toBe(recordedReleases.flatMap(historiesOf).length);
  return new Map([...refusals].flatMap(([name, reason]) => (reason === undefined ? [] : [[name, reason]])));
}

const payment = 'workflows/payment.ts';
const imports: Change = [payment, '  continueAsNew,\n', '  continueAsNew,\n  patched,\n  sleep,\n'];

/** Where the parties begin to be told. */
const telling = '  progress.telling = true;\n';
const tellingLater = "  await sleep('1s');\n";

/** The first send, and what stands there before it. */
const attributes = '  progress.unshown = route;\n';
const decisionFirst = "  await decide(progress, { by: 'unreachable' });\n";

const changes: readonly (readonly [what: string, history: string, change: Change])[] = [
  ['a timer is added', '1.0.0/accepted-at-once', [payment, telling, tellingLater + telling]],
  [
    'a local activity is added before another',
    '1.0.0/deadline',
    [payment, attributes, decisionFirst + attributes],
  ],
  [
    'a local activity is removed',
    '1.0.0/accepted-later',
    [
      payment,
      "  await decide(progress, { by: 'destination', reportMessageId, wantsConfirmation: false });\n",
      '  void reportMessageId;\n',
    ],
  ],
  [
    'an activity is asked for before what it came after',
    '1.0.0/rejected-by-the-destination',
    [
      payment,
      attributes,
      `  void proxyActivities<ForwardingActivities>(forwardPolicy).forwardPayment({ uetr, deliveryId: accepted.instructionDeliveryId, destinationSystem });\n${attributes}`,
    ],
  ],
  [
    'an activity has another name',
    '1.0.0/resolution-proxy',
    ['workflows/resolution.ts', 'const { askResolution } =', 'const { askParty: askResolution } ='],
  ],
];

test.each(changes)(
  'is refused, by the name of the history that cannot go on: %s',
  async (_, history, change) => {
    const refused = await refusedUnder([imports, change]);
    expect([...refused.keys()]).toContain(history);
    expect(refused.get(history)).toMatch(/^DeterminismViolationError: .*[Nn]ondeterminis/s);
  },
);

test('is accepted once it is versioned, whether by patched() or by a field of the input; and so is the copy as it is', async () => {
  const byPatch: Change = [
    payment,
    telling,
    `  if (patched('tell later')) ${tellingLater.trim()}\n${telling}`,
  ];
  const byInput: Change = [
    payment,
    attributes,
    `  if ('decidesFirst' in progress.input) ${decisionFirst.trim()}\n${attributes}`,
  ];
  expect(await refusedUnder([imports, byPatch, byInput])).toEqual(new Map());
  expect(await refusedUnder([])).toEqual(new Map());
});
