// What Helm makes of the chart: valid for Kubernetes, and closed. Needs helm and kubeconform on the PATH or in
// .isthmus/bin; without them these tests say so.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { allSettings } from '../../core/settings/settings.ts';
import { sandboxSettings } from '../../sandbox/environment.ts';
import { settingsIn } from '../../core/settings/environment-variables.ts';
import { readDocument, root } from '../docs/documents.ts';

/** A helm that `go install` has built takes the cluster for one of version 1.20. */
const chart = ['--kube-version', '1.34.4', 'deploy/helm/isthmus'];
const path = `${join(root, '.isthmus', 'bin')}:${process.env['PATH'] ?? ''}`;
const run = (command: string, args: readonly string[], input?: string) => {
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, PATH: path },
    input,
    maxBuffer: 16 * 1_048_576,
  });
  return { status, stdout, said: `${stdout}${stderr}` };
};
const hasHelm = run('helm', ['version']).status === 0;
const hasKubeconform = run('kubeconform', ['-v']).status === 0;
if (!hasHelm || !hasKubeconform) {
  process.stderr.write(
    'test/deploy/helm-rendered: NOT RUN in full: helm and kubeconform are not installed. By Go, with GOBIN=$PWD/.isthmus/bin:\n' +
      '  go install helm.sh/helm/v3/cmd/helm@v3.18.6\n' +
      '  go install github.com/yannh/kubeconform/cmd/kubeconform@v0.8.0\n',
  );
}

interface Container {
  readonly name: string;
  readonly image: string;
  readonly env?: readonly { readonly name: string; readonly value?: string }[];
  readonly securityContext: unknown;
}
interface Pod {
  readonly restartPolicy?: string;
  readonly topologySpreadConstraints?: readonly unknown[];
  readonly automountServiceAccountToken: boolean;
  readonly securityContext: unknown;
  readonly containers: readonly Container[];
}
interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>> };
  readonly spec?: { readonly template?: { readonly spec: Pod }; readonly replicas?: number } & Readonly<
    Record<string, unknown>
  >;
  readonly data?: Readonly<Record<string, string>>;
}

/** Options of Helm, by what they turn on. */
const example = ['--values', 'deploy/helm/isthmus/values-example.yaml'];
const all =
  'workerAmqp.enabled=true,monitoring.podMonitors=true,monitoring.prometheusRules=true,monitoring.dashboard=true';
const variants: Readonly<Record<string, readonly string[]>> = {
  'the least': example,
  everything: [...example, '--set', `${all},keda.enabled=true,keda.authentication=temporal`],
  'the Worker Controller': [...example, '--set', 'workerController.enabled=true'],
  'a trial': ['--values', 'deploy/helm/isthmus/values-trial.yaml'],
  'TLS in the api': [...example, '--set', 'secrets.TLS_CERT.name=a,secrets.TLS_CERT.key=tls.crt'],
  'no policies and budgets': [
    ...example,
    '--set',
    'networkPolicies.enabled=false,disruptionBudgets.enabled=false,retention.enabled=false',
  ],
};

const rendered = (options: readonly string[], from = chart) => {
  const { status, stdout, said } = run('helm', ['template', 'isthmus', ...from, ...options]);
  expect(status, said).toBe(0);
  return stdout;
};
const manifestsOf = (options: readonly string[], from = chart): readonly Manifest[] =>
  parseAllDocuments(rendered(options, from)).flatMap(
    (document) => (document.toJS() as Manifest | null) ?? [],
  );
const find = (manifests: readonly Manifest[], kind: string, name: string) =>
  manifests.find((one) => one.kind === kind && one.metadata.name === name);

/** The pods of all kinds. */
const podsIn = (manifests: readonly Manifest[]): readonly Pod[] =>
  manifests.flatMap(({ spec }) => {
    const template =
      spec?.template ?? (spec as { jobTemplate?: Manifest } | undefined)?.jobTemplate?.spec?.template;
    return template === undefined ? [] : [template.spec];
  });

describe.skipIf(!hasHelm)('by helm', () => {
  it.each(Object.entries(variants))('lint finds nothing: %s', (_name, options) => {
    const { status, said } = run('helm', ['lint', '--strict', ...chart, ...options]);
    expect(status, said).toBe(0);
  });

  it('a name that no process reads is refused', () => {
    const { status, said } = run('helm', ['template', ...chart, ...example, '--set', 'config.PUBLIC_URI=a']);
    expect(status).not.toBe(0);
    expect(said).toContain('PUBLIC_URI');
  });

  it.each([
    ['PUBLIC_URL', []],
    ['keda', [...example, '--set', 'workerController.enabled=true,keda.enabled=true']],
    ['workerController', [...example, '--set', 'config.TEMPORAL_DEPLOYMENT_NAME=a']],
    ['workerController', [...example, '--set', 'config.TEMPORAL_WORKER_BUILD_ID=a']],
  ])('what does not go says why: %s', (word, options) => {
    const { status, said } = run('helm', ['template', ...chart, ...options]);
    expect(status).not.toBe(0);
    expect(said).toContain(word);
  });

  it.each(Object.entries(variants))('every pod is closed: %s', (_name, options) => {
    const pods = podsIn(manifestsOf(options));
    expect(pods.length).toBeGreaterThanOrEqual(3);
    for (const pod of pods) {
      expect(pod.automountServiceAccountToken).toBe(false);
      expect(pod.securityContext).toMatchObject({
        runAsNonRoot: true,
        seccompProfile: { type: 'RuntimeDefault' },
      });
      for (const { securityContext } of pod.containers)
        expect(securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
    }
  });

  it.each(Object.entries(variants))(
    'our containers get only settings that they read: %s',
    (_name, options) => {
      const manifests = manifestsOf(options);
      const { data = {} } =
        manifests.find(({ kind, data }) => kind === 'ConfigMap' && data?.['PUBLIC_URL']) ?? {};
      const read = [...allSettings, ...settingsIn(sandboxSettings)];
      const known = read.flatMap(({ name, details }) => (details.file ? [name, `${name}_FILE`] : [name]));
      const ours = podsIn(manifests)
        .flatMap(({ containers }) => containers)
        .filter(({ image }) => image.includes('isthmus:'));
      const given = [...Object.keys(data), ...ours.flatMap(({ env = [] }) => env.map(({ name }) => name))];
      expect(given).toContain('TEMPORAL_ADDRESS');
      expect(given.filter((name) => name !== 'ISTHMUS_URL' && !known.includes(name))).toEqual([]);
    },
  );

  it.each([
    ['the least', 'pre-install,pre-upgrade'],
    ['a trial', 'post-install,pre-upgrade'],
  ])('the migration runs before a release, and in a trial after its Postgres: %s', (variant, hook) => {
    const manifests = manifestsOf(variants[variant] ?? []);
    const job = find(manifests, 'Job', 'isthmus-migrate');
    expect(job?.metadata.annotations?.['helm.sh/hook']).toBe(hook);
    expect(job?.spec?.template?.spec.restartPolicy).toBe('Never'); // keeps the log of a failed attempt
    // before the job, so that it can connect in a namespace that denies by default
    expect(find(manifests, 'NetworkPolicy', 'isthmus-migrate')?.metadata.annotations).toMatchObject({
      'helm.sh/hook': hook,
      'helm.sh/hook-weight': '-1',
      'helm.sh/hook-delete-policy': 'before-hook-creation,hook-succeeded', // it must not outlive the release
    });
  });

  it.each(['api', 'worker'])('a new release does not restart the %s whose tag is held', (name) => {
    const folder = mkdtempSync(join(tmpdir(), 'isthmus-chart-'));
    try {
      const newer = join(folder, 'isthmus');
      cpSync(join(root, 'deploy/helm/isthmus'), newer, { recursive: true, dereference: true });
      const text = readFileSync(join(newer, 'Chart.yaml'), 'utf8');
      writeFileSync(join(newer, 'Chart.yaml'), text.replaceAll(/^(version|appVersion): .*$/gm, '$1: 9.8.7'));
      const podOf = (from: readonly string[], tag: string) =>
        find(
          manifestsOf([...example, '--set', `${name}.tag=1.2.3,image.tag=${tag}`], [...from]),
          'Deployment',
          `isthmus-${name}`,
        )?.spec?.template;
      const before = podOf(chart, '1.2.3');
      expect(before).toBeDefined();
      expect(podOf([...chart.slice(0, -1), newer], '9.8.7')).toEqual(before);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('isthmus ops asks its own container, or with TLS the name in the certificate', () => {
    const urlOf = (variant: string) =>
      find(manifestsOf(variants[variant] ?? []), 'Deployment', 'isthmus-api')
        ?.spec?.template?.spec.containers[0]?.env?.filter(({ name }) => name === 'ISTHMUS_URL')
        .map(({ value }) => value);
    expect(urlOf('the least')).toEqual(['http://127.0.0.1:8080']);
    expect(urlOf('TLS in the api')).toEqual(['https://isthmus.example']);
  });

  it('pods of a component are spread over hosts and zones, or as the values say', () => {
    const spreadOf = (name: string, more: readonly string[] = []) =>
      find(manifestsOf([...example, ...more]), 'Deployment', `isthmus-${name}`)?.spec?.template?.spec
        .topologySpreadConstraints;
    const pods = (component: string) => ({
      matchLabels: {
        'app.kubernetes.io/name': 'isthmus',
        'app.kubernetes.io/instance': 'isthmus',
        'app.kubernetes.io/component': component,
      },
    });
    for (const name of ['api', 'worker'])
      expect(spreadOf(name)).toEqual(
        ['kubernetes.io/hostname', 'topology.kubernetes.io/zone'].map((topologyKey) => ({
          ...{ maxSkew: 1, topologyKey, whenUnsatisfiable: 'ScheduleAnyway' },
          labelSelector: pods(name),
        })),
      );
    const rack = { maxSkew: 2, topologyKey: 'rack', whenUnsatisfiable: 'DoNotSchedule' };
    const own = { ...rack, labelSelector: { matchLabels: { a: 'b' } } };
    const given = ['--set-json', `topologySpreadConstraints=${JSON.stringify([rack, own])}`];
    expect(spreadOf('worker', given)).toEqual([{ ...rack, labelSelector: pods('worker') }, own]);
    expect(spreadOf('api', ['--set-json', 'topologySpreadConstraints=[]'])).toBeUndefined();
  });

  it('the alert rules and the dashboard are those of docker/', () => {
    const manifests = manifestsOf(variants['everything'] ?? []);
    const { groups } = parseAllDocuments(
      readDocument('docker/prometheus/isthmus-alerts.yaml'),
    )[0]?.toJS() as {
      groups: unknown;
    };
    expect(manifests.find(({ kind }) => kind === 'PrometheusRule')?.spec?.['groups']).toEqual(groups);
    const dashboard = manifests.find(({ metadata }) => metadata.name === 'isthmus-dashboard')?.data;
    expect(dashboard?.['isthmus-dashboard.json']?.trim()).toBe(
      readFileSync(join(root, 'docker/grafana/isthmus-dashboard.json'), 'utf8').trim(),
    );
  });

  it('KEDA decides how many workers there are', () => {
    const worker = find(manifestsOf(variants['everything'] ?? []), 'Deployment', 'isthmus-worker');
    expect(worker?.spec).not.toHaveProperty('replicas');
  });
});

describe.skipIf(!hasHelm || !hasKubeconform)('by kubeconform', () => {
  const folder = mkdtempSync(join(tmpdir(), 'isthmus-kubernetes-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const { kinds, definitions } = JSON.parse(readDocument('test/deploy/kubernetes-schemas.json')) as {
    kinds: Readonly<Record<string, object>>;
    definitions: object;
  };
  for (const [kind, schema] of Object.entries(kinds))
    writeFileSync(
      join(folder, `${kind.toLowerCase()}.json`),
      JSON.stringify({ allOf: [schema], definitions }),
    );
  const ofOthers = 'ScaledObject,PodMonitor,PrometheusRule,Connection,WorkerDeployment';
  const judge = (text: string) =>
    run(
      'kubeconform',
      ['-summary', '-schema-location', `${folder}/{{ .ResourceKind }}.json`, '-skip', ofOthers],
      text,
    );

  it.each(Object.entries(variants))('is valid for Kubernetes: %s', (_name, options) => {
    const { status, said } = judge(rendered(options));
    expect(status, said).toBe(0);
    expect(said).toMatch(/Valid: [1-9]\d*, Invalid: 0, Errors: 0/);
  });

  it('the schemas do judge: a field that there is not is found', () => {
    const text = rendered(example).replace('terminationGracePeriodSeconds', 'terminationGraceSeconds');
    expect(judge(text).status).toBe(1);
  });
});
