// The Helm chart agrees with the Compose file, the settings and the files of docker/. What Helm makes of it is tested in
// helm-rendered.test.ts.
import { readdirSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { parse } from 'yaml';
import { describe, expect, it } from 'vitest';
import { allSettings } from '../../core/settings/settings.ts';
import { readDocument, root } from '../docs/documents.ts';
import { sectionsOf } from '../docs/markdown.ts';

interface Service {
  readonly image: string;
  readonly command?: readonly string[];
  readonly entrypoint?: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly stop_grace_period?: string;
  readonly healthcheck?: { readonly test: readonly string[] };
}
interface Values {
  readonly config: Readonly<Record<string, string>>;
}
interface Schema {
  readonly properties: Readonly<Record<'config' | 'secrets', { propertyNames: { enum: readonly string[] } }>>;
}

const chart = 'deploy/helm/isthmus';
const readYaml = (path: string) => parse(readDocument(path), { merge: true }) as unknown;
const { services } = readYaml('docker-compose.yml') as { services: Readonly<Record<string, Service>> };
const service = (name: string): Service => {
  const found = services[name];
  if (found === undefined) throw new Error(`docker-compose.yml has no service ${name}`);
  return found;
};
const values = readYaml(`${chart}/values.yaml`) as Values;
const schema = JSON.parse(readDocument(`${chart}/values.schema.json`)) as Schema;
const template = (name: string) => readDocument(`${chart}/templates/${name}`);
const templates = readdirSync(join(root, chart, 'templates')).map((name) => ({ name, text: template(name) }));
const names = (from: readonly { readonly name: string }[]) => from.map(({ name }) => name).sort();
const count = (text: string, what: RegExp) => [...text.matchAll(what)].length;

/** Settings that the chart sets itself: `workerAmqp` and `databases` of its values say how. */
const own = ['WORKER_SERVES', 'DATABASE_URL'];
const settable = allSettings.filter(({ name }) => !own.includes(name));
const inFiles = settable.filter(({ details }) => details.file === true);
/** Which process gets which setting of `secrets`. */
const files = parse(
  /define "isthmus.files" -}}\n([^]*?)\{\{- end/.exec(template('_helpers.tpl'))?.[1] ?? '',
) as Readonly<Record<string, readonly string[]>>;

describe('the values of the chart', () => {
  it('take every setting: secrets and certificates as the names of Secrets, all others as text', () => {
    expect([...schema.properties.secrets.propertyNames.enum].sort()).toEqual(names(inFiles));
    const others = settable.filter((one) => !inFiles.includes(one));
    expect([...schema.properties.config.propertyNames.enum].sort()).toEqual(
      [...names(others), 'NODE_EXTRA_CA_CERTS'].sort(), // a setting of Node that the reference names
    );
  });

  it('take every setting that the configuration reference lists for api, worker and migration', () => {
    const listed = sectionsOf(readDocument('docs/reference/configuration.md'))
      .filter(({ title }) => title.startsWith('The api, the worker'))
      .flatMap(({ text }) => [...text.matchAll(/^- \*\*`(\w+)`\*\*/gm)].map(([, name = '']) => name));
    expect(listed.length).toBeGreaterThan(50);
    const { config, secrets } = schema.properties;
    const known = [...own, ...config.propertyNames.enum, ...secrets.propertyNames.enum];
    expect(listed.filter((name) => !known.includes(name))).toEqual([]);
  });

  const validate = new Ajv2020({ allErrors: true, strict: false }).compile(schema);
  const faultsOf = (more: object) => {
    const { config, ...others } = more as { config?: object };
    validate({ ...values, ...others, config: { ...values.config, ...config } });
    return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message ?? ''}`);
  };

  it.each(['values-trial.yaml', 'values-example.yaml'])('of %s are valid', (name) => {
    expect(faultsOf(readYaml(`${chart}/${name}`) as object)).toEqual([]);
  });

  it.each([
    ['a name that no process reads', { config: { PUBLIC_URI: 'https://a.example' } }],
    ['a secret as text', { config: { SEALING_KEYS: 'k:AAAA' } }],
    ['a number, which Helm might write as 1e+06', { config: { MEGABYTES_PER_DAY: 1_000_000 } }],
    ['a secret without its key', { secrets: { SEALING_KEYS: { name: 'sealing' } } }],
    ['a setting that is no secret as a Secret', { secrets: { LOG_LEVEL: { name: 'a', key: 'b' } } }],
    ['an unknown group', { ingress: {} }],
    ['no worker at all', { keda: { enabled: true, minReplicas: 0 } }],
  ])('are refused with %s', (_what, more) => {
    expect(faultsOf(more)).not.toEqual([]);
  });

  it('have the addresses, ports and namespace of the Compose file', () => {
    const given = (name: string, variable: string) =>
      (service(name).environment[variable] ?? '').replace(/^\$\{\w+:-(.*)\}$/, '$1');
    for (const variable of ['HOST', 'PORT', 'METRICS_HOST', 'METRICS_PORT', 'TEMPORAL_NAMESPACE'])
      expect([variable, values.config[variable]]).toEqual([variable, given('api', variable)]);
  });
});

describe('the templates of the chart', () => {
  it('give each process the secrets that the Compose file gives it, and those for Temporal', () => {
    expect(Object.keys(files).sort()).toEqual(['api', 'migrate', 'retention', 'worker', 'worker-amqp']);
    const ofTemporal = names(inFiles).filter((name) => name.startsWith('TEMPORAL_'));
    for (const [process, given] of Object.entries(files)) {
      const { environment } = service(process);
      const expected = names(inFiles).filter((name) => name in environment);
      const reaches = 'TEMPORAL_ADDRESS' in environment;
      expect([process, [...given].sort()]).toEqual([
        process,
        [...expected, ...(reaches ? ofTemporal : [])].sort(),
      ]);
    }
  });

  it.each([
    ['api', 'api.yaml'],
    ['worker', 'worker.yaml'],
    ['worker-amqp', 'worker.yaml'],
    ['migrate', 'jobs.yaml'],
    ['retention', 'jobs.yaml'],
    ['sandbox', '_worker.tpl'],
  ])('start %s by the command of the Compose file', (name, file) => {
    const { entrypoint, command = [] } = service(name);
    const words = entrypoint ?? command;
    const text = template(file);
    expect(
      [`[${words.join(', ')}]`, `list "${words.join('" "')}"`].filter((one) => text.includes(one)),
    ).toHaveLength(1);
  });

  it('let every pod and container do as little as possible', () => {
    for (const { name, text } of templates.filter((one) => one.name !== '_helpers.tpl')) {
      const containers = count(text, /^ +(image:|\{\{- include "isthmus\.(image|container)")/gm);
      const secured = count(text, /include "isthmus\.(containerSecurity|container)"/g);
      expect({ name, containers }).toEqual({ name, containers: secured });
      const pods = count(text, /^ +containers:$/gm);
      const closed = count(text, /^ +\{\{- include "isthmus\.(pod|anyPod)"/gm);
      expect({ name, pods }).toEqual({ name, pods: closed });
    }
    const helpers = template('_helpers.tpl');
    for (const line of [
      'runAsNonRoot: true',
      'seccompProfile: { type: RuntimeDefault }',
      'allowPrivilegeEscalation: false',
      'readOnlyRootFilesystem: true',
      'capabilities: { drop: [ALL] }',
      'automountServiceAccountToken: false',
    ])
      expect(helpers).toContain(`\n${line}\n`);
  });

  it('make no Secret, and hold none', () => {
    for (const { text } of templates) {
      expect(text).not.toMatch(/^kind: Secret$/m);
      expect(text).not.toMatch(/postgres:\/\/|password:/i);
    }
  });

  it.each([
    ['api', 'api.yaml'],
    ['worker', '_worker.tpl'],
  ])('end %s as slowly as the Compose file, and ask the health that it asks', (name, file) => {
    const { stop_grace_period: grace = '', healthcheck } = service(name);
    expect(template(file)).toContain(`terminationGracePeriodSeconds: ${grace.replace(/s$/, '')}\n`);
    const [path = ''] = /\/health\/\w+/.exec(healthcheck?.test.join(' ') ?? '') ?? [];
    expect(template(file)).toMatch(new RegExp(`startupProbe:\\n +httpGet: \\{ path: ${path}, `));
  });

  it('send requests to an api while Temporal is away, and restart no process that answers', () => {
    expect(template('api.yaml')).toMatch(/readinessProbe:\n +httpGet: \{ path: \/health\/live, /);
    for (const file of ['api.yaml', '_worker.tpl'])
      expect(template(file)).toMatch(/livenessProbe:\n +httpGet: \{ path: \/health\/live, /);
  });
});

describe('the trial of the chart', () => {
  const text = template('trial.yaml');

  it('runs the images of the Compose file, with the same settings', () => {
    for (const name of ['postgres', 'temporal', 'temporal-schema', 'temporal-namespace'])
      expect(text).toContain(`image: ${service(name).image}\n`);
    for (const word of service('postgres').command ?? []) expect(text).toContain(`- ${word}\n`);
    const { environment } = service('temporal');
    const isOther = (name: string) => /^POSTGRES_(SEEDS|PWD)$|_PATH$/.test(name); // names of this chart
    for (const [name, value] of Object.entries(environment).filter(([name]) => !isOther(name)))
      expect(text).toMatch(new RegExp(`- \\{ name: ${name}, value: '?${value.replaceAll('.', '\\.')}'? \\}`));
    for (const name of Object.keys(environment)) expect(text).toContain(`name: ${name}, `);
    for (const name of Object.keys(service('postgres').environment)) expect(text).toContain(name);
    for (const job of ['temporal-schema', 'temporal-namespace'])
      for (const name of Object.keys(service(job).environment))
        expect(text).toMatch(new RegExp(`\\b${name}\\b`));
  });

  it('is off unless it is asked for', () => {
    expect(text).toMatch(/^\{\{- if \.Values\.trial\.enabled \}\}\n/);
    expect(values).toMatchObject({ trial: { enabled: false } });
  });
});

describe('the files of the chart', () => {
  it('are those of docker/, not copies', () => {
    const linked = readdirSync(join(root, chart, 'files'));
    const real = linked.map((name) => realpathSync(join(root, chart, 'files', name)));
    const inDocker = (name: string) => realpathSync(join(root, 'docker', name));
    expect(real.sort()).toEqual(
      [
        inDocker('prometheus/isthmus-alerts.yaml'),
        inDocker('grafana/isthmus-dashboard.json'),
        ...['postgres-roles.sh', 'temporal-schema.sh', 'temporal-namespace.sh'].map(inDocker),
        inDocker('temporal-dynamic-config.yaml'),
      ].sort(),
    );
    const text = templates.map((one) => one.text).join('\n');
    for (const name of linked) expect(text).toContain(name);
  });

  it('have the version of this release', () => {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
    expect(readYaml(`${chart}/Chart.yaml`)).toMatchObject({ version, appVersion: version });
    expect(readDocument(`${chart}/README.md`)).toContain(`isthmus:${version}`);
  });

  it('begin with a short README', () => {
    expect(readDocument(`${chart}/README.md`).split('\n').length).toBeLessThanOrEqual(120);
  });
});
