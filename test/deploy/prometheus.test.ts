// The alert rules and the dashboard that come with Isthmus (OBS-2): they ask for metrics that there are, each alert is
// explained, and, where Prometheus' own tools are installed, each fires when it should.
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { assert } from '../../core/assert.ts';
import { createApiMetrics } from '../../telemetry/api-metrics.ts';
import { addProcessMetrics } from '../../telemetry/process-metrics.ts';
import { createWorkerMetrics } from '../../telemetry/worker-metrics.ts';
import { sectionsOf } from '../docs/markdown.ts';
import { setEndpoint } from '../harness/destination.ts';
import { testGateway, type TestGateway } from '../harness/gateway.ts';
import { instruction } from '../../fixtures/instruction.ts';
import { bestQuote, submit } from '../harness/payer.ts';
import { quietPort } from '../harness/quiet-port.ts';

const root = resolve(import.meta.dirname, '..', '..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const rulesPath = 'docker/prometheus/isthmus-alerts.yaml';

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly annotations: { readonly summary: string; readonly description: string; readonly action: string };
}
const { groups } = parse(read(rulesPath)) as { groups: { rules: Rule[] }[] };
const rules = groups.flatMap((group) => group.rules);
const dashboard = JSON.parse(read('docker/grafana/isthmus-dashboard.json')) as {
  panels: { title: string; description?: string; targets: { expr: string }[] }[];
};

/** Every name that a scrape of api and worker has; histograms by their series. */
async function knownNames(): Promise<ReadonlySet<string>> {
  const nothing = { payments: [], deliveries: [], alerts: [], keys: [] };
  const { registry } = createApiMetrics(() => Promise.resolve(nothing), {});
  addProcessMetrics(registry, {
    pool: () => ({ total: 0, idle: 0, waiting: 0 }),
    codeSets: { edition: '4Q2024', published: '2025-02-28' },
  });
  const metrics = [registry, createWorkerMetrics().registry];
  const described = await Promise.all(metrics.map((one) => one.getMetricsAsJSON()));
  const names = described
    .flat()
    .flatMap(({ name, type }) =>
      type === 'histogram' ? [`${name}_bucket`, `${name}_count`, `${name}_sum`] : [name],
    );
  return new Set([...names, 'up']);
}

const functions =
  /^(sum|max|min|count|rate|increase|absent|vector|histogram_quantile|min_over_time|by|or|unless|le)$/;

/** What an expression asks Prometheus for. */
function namesIn(expr: string): readonly string[] {
  const bare = expr.replaceAll(/\{[^}]*\}|\[[^\]]*\]|offset \w+|by \([^)]*\)|"[^"]*"/g, ' ');
  return [...bare.matchAll(/[a-zA-Z_:][a-zA-Z0-9_:]*/g)]
    .map(([name]) => name)
    .filter((name) => !functions.test(name));
}

test('every metric that is asked for is there', async () => {
  const known = await knownNames();
  const asked = [
    ...rules.map(({ alert, expr }) => ({ by: alert, names: namesIn(expr) })),
    ...dashboard.panels.flatMap(({ title, targets }) =>
      targets.map(({ expr }) => ({ by: title, names: namesIn(expr) })),
    ),
  ];
  expect(asked.filter(({ names }) => names.length === 0)).toEqual([]);
  expect(
    asked.flatMap(({ by, names }) =>
      names.filter((name) => !known.has(name)).map((name) => `${by}: ${name}`),
    ),
  ).toEqual([]);
});

test('every alert says what it means and leads to its entry, with what to do; every panel says what it shows', () => {
  const entries = sectionsOf(read('docs/operations/alerts.md'));
  const entryOf = (name: string) => entries.find(({ title }) => title === name)?.anchor ?? 'no entry';
  for (const { alert, annotations } of rules) {
    expect(annotations.action).toMatch(new RegExp(` docs/operations/alerts\\.md#${entryOf(alert)}$`));
  }
  expect(rules.filter(({ annotations }) => !annotations.description.endsWith('.'))).toEqual([]);
  expect(dashboard.panels.filter(({ description }) => (description ?? '') === '')).toEqual([]);
});

test('every alert is tried, that it fires and that it does not', () => {
  const { tests } = parse(read('docker/prometheus/isthmus-alerts.test.yaml')) as {
    tests: { alert_rule_test: { alertname: string; exp_alerts?: unknown[] }[] }[];
  };
  const names = [...new Set(rules.map(({ alert }) => alert))]; // one may be critical for some of what it is about
  for (const { alert_rule_test: tried } of tests)
    expect(tried.map(({ alertname }) => alertname)).toEqual(names);
});

const isInstalled = (name: string) => spawnSync(name, ['--version']).status === 0;
const hasPromtool = isInstalled('promtool');
const hasPrometheus = isInstalled('prometheus');
if (!hasPromtool || !hasPrometheus) {
  process.stderr.write(
    'test/deploy/prometheus: promtool and prometheus are not installed (Debian: apt-get install prometheus), so the rules are held against the metrics and the documents only\n',
  );
}

describe.skipIf(!hasPromtool)('by promtool', () => {
  const promtool = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync('promtool', args, { cwd: root, encoding: 'utf8' });
    return { status, said: stdout + stderr };
  };
  test.each([
    ['check', 'rules', rulesPath],
    ['check', 'config', 'docker/prometheus/prometheus.yaml'],
    ['test', 'rules', 'docker/prometheus/isthmus-alerts.test.yaml'],
  ])('%s %s %s', (...args) => {
    const { status, said } = promtool(...args);
    expect(status, said).toBe(0);
  });
});

const gateway = hasPrometheus
  ? await testGateway({
      prepare: (db) => setEndpoint(db, 'IPSO-MY', 'http://127.0.0.1:9'), // nobody listens there
    })
  : undefined;

describe.skipIf(!hasPrometheus)('by a real Prometheus', () => {
  const folder = mkdtempSync(join(tmpdir(), 'isthmus-prometheus-'));
  let prometheus: ChildProcess | undefined;
  afterAll(async () => {
    if (prometheus?.kill('SIGKILL') === true) await once(prometheus, 'exit');
    rmSync(folder, { recursive: true, force: true });
  });

  /** @returns asks which alerts fire */
  async function start(gateway: TestGateway): Promise<() => Promise<readonly string[]>> {
    const address = `127.0.0.1:${await quietPort()}`;
    writeFileSync(join(folder, 'rules.yaml'), read(rulesPath).replaceAll(/for: \S+/g, 'for: 0s'));
    const target = (of: 'api' | 'worker') => ({
      job_name: `isthmus-${of}`,
      static_configs: [{ targets: [gateway.telemetryUrl(of).slice('http://'.length)] }],
    });
    const config = {
      global: { scrape_interval: '1s', evaluation_interval: '1s' },
      rule_files: ['rules.yaml'],
      scrape_configs: [target('api'), target('worker')],
    };
    writeFileSync(join(folder, 'prometheus.yaml'), stringify(config));
    const options = [
      `--config.file=${join(folder, 'prometheus.yaml')}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=${address}`,
    ];
    prometheus = spawn('prometheus', options, { stdio: 'ignore' });
    return async () => {
      const response = await fetch(`http://${address}/api/v1/alerts`).catch(() => undefined);
      if (response?.ok !== true) return ['not up yet'];
      const { data } = (await response.json()) as {
        data: { alerts: { state: string; labels: Record<string, string> }[] };
      };
      return data.alerts
        .filter(({ state }) => state === 'firing')
        .map(({ labels }) =>
          [labels['alertname'], labels['party'] ?? labels['receiver'] ?? ''].join(' ').trim(),
        );
    };
  }

  test('nothing fires while all is well; a destination that is down does', async () => {
    assert(gateway !== undefined, 'Prometheus is installed');
    const firing = await start(gateway);
    await expect.poll(firing).toEqual([]);
    const toMalaysia = { destination: 'MY', destinationCurrency: 'MYR' };
    const pay = async () => submit(gateway, instruction(await bestQuote(gateway, toMalaysia)));
    await Promise.all([pay(), pay()]);
    await expect
      .poll(firing)
      .toEqual(expect.arrayContaining(['IsthmusPartyDown MYRRPP', 'IsthmusBreakerOpen http://127.0.0.1:9']));
    await gateway.stopWorker();
    await expect.poll(firing).toContain('IsthmusNoWorker');
  });
});
