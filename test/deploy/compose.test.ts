// The deployment files are checked without a container engine: valid, in agreement with the code, and closed.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, join, resolve } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { build } from 'esbuild';
import { parse } from 'yaml';
import { describe, expect, it } from 'vitest';
import { asInImage, entries } from '../../cli/entries.mjs';
import { freePort } from '../../cli/parts/ports.ts';
import { noValuesInLog } from '../../cli/parts/postgres.ts';
import { dynamicConfig } from '../../cli/parts/temporal.ts';
import { allSettings } from '../../core/settings/settings.ts';
import { settingsIn } from '../../core/settings/environment-variables.ts';
import { sandboxSettings } from '../../sandbox/environment.ts';
import { searchAttributes } from '../../contract/ids.ts';

interface Service {
  readonly image?: string;
  readonly build?: unknown;
  readonly command?: readonly string[];
  readonly entrypoint?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly profiles?: readonly string[];
  readonly init?: boolean;
  readonly network_mode?: string;
  readonly networks?: readonly string[];
  readonly cap_drop?: readonly string[];
  readonly cap_add?: readonly string[];
  readonly security_opt?: readonly string[];
}

const root = resolve(import.meta.dirname, '..', '..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const text = read('docker-compose.yml');
const compose = parse(text, { merge: true }) as { readonly services: Readonly<Record<string, Service>> };
const service = (name: string): Service => {
  const found = compose.services[name];
  if (found === undefined) throw new Error(`docker-compose.yml has no service ${name}`);
  return found;
};
const ours = Object.entries(compose.services).filter(([, one]) => one.build !== undefined);

describe('docker-compose.yml', () => {
  it('is valid against the schema of the Compose Specification', () => {
    const ajv = new Ajv2020({ strict: false, allErrors: true });
    for (const format of ['duration', 'ports', 'expose', 'subnet_ip_address']) ajv.addFormat(format, true);
    const validate = ajv.compile(JSON.parse(read('test/deploy/compose-spec.json')) as object);
    expect(validate(compose) ? [] : validate.errors).toEqual([]);
    expect(validate({ services: { api: { imagee: 'x' } } })).toBe(false); // the schema does judge
  });

  it('starts a Temporal server that is on two networks: its entry point would take both addresses for one', () => {
    const { networks = [], environment } = service('temporal');
    expect(networks.length).toBeGreaterThan(1);
    expect(environment?.['TEMPORAL_BROADCAST_ADDRESS']).toBe('127.0.0.1');
  });

  it('lets Postgres, which is not root, get the signal to stop: an init process as root may not send it', () => {
    expect(service('postgres').cap_add).not.toContain('KILL');
    expect(service('postgres').init).toBe(false);
  });

  it('lets each service reach only what it needs, with no more rights than it needs', () => {
    const { networks } = parse(text) as {
      readonly networks: Readonly<Record<string, { internal?: boolean }>>;
    };
    const on = (network: string) =>
      Object.entries(compose.services)
        .filter(([, one]) => one.networks?.includes(network) === true)
        .map(([name]) => name);
    expect(on('database').sort()).toEqual(
      [
        'api',
        'migrate',
        'postgres',
        'retention',
        'temporal',
        'temporal-schema',
        'worker',
        'worker-amqp',
      ].sort(),
    );
    expect(on('engine')).toEqual([
      'temporal',
      'temporal-namespace',
      'temporal-ui',
      'api',
      'worker',
      'worker-amqp',
    ]);
    const outward = Object.keys(networks).filter((name) => networks[name]?.internal !== true);
    expect(outward.map((name) => [name, on(name)])).toEqual([
      ['edge', ['api']],
      ['parties', ['worker', 'worker-amqp']],
      ['console', ['temporal-ui']],
    ]);
    for (const [name, one] of Object.entries(compose.services)) {
      expect(one.cap_drop, name).toEqual(['ALL']);
      expect(one.security_opt, name).toEqual(['no-new-privileges:true']);
      if (name !== 'postgres') expect(one.cap_add, name).toBeUndefined();
      if (one.network_mode === undefined) expect(one.networks?.length ?? 0, name).toBeGreaterThan(0);
    }
  });

  it('gives our processes only names that the code reads, and each name that has no default', () => {
    for (const [name, one] of ours) {
      const names = name === 'sandbox' ? settingsIn(sandboxSettings) : allSettings;
      const known = new Set([
        ...names.map((setting) => setting.name),
        ...(name === 'api' ? ['ISTHMUS_URL'] : []),
      ]); // its ops
      const unknown = Object.keys(one.environment ?? {}).filter((variable) => !known.has(variable));
      expect({ service: name, unknown }).toEqual({ service: name, unknown: [] });
    }
    const required = allSettings.filter(({ details }) => details.required);
    for (const name of ['api', 'worker']) {
      expect(Object.keys(service(name).environment ?? {})).toEqual(
        expect.arrayContaining(required.map((setting) => setting.name)),
      );
    }
    expect(service('migrate').environment).toHaveProperty('DATABASE_URL');
  });

  it('lets a deployment set everything that api, worker and jobs read and that differs between deployments', () => {
    const fixed = ['DATABASE_URL', 'HOST', 'PORT', 'WORKER_SERVES', 'XSD_ENGINE'];
    const environment = Object.assign(
      {},
      ...['worker', 'worker-amqp', 'api', 'retention'].map((name) => service(name).environment),
    ) as Readonly<Record<string, string>>;
    const open = allSettings
      .map((setting) => setting.name)
      .filter(
        (variable) => !fixed.includes(variable) && !variable.startsWith('TEMPORAL_'), // the file has its own
      );
    for (const variable of open)
      expect(environment[variable]).toMatch(new RegExp(`^\\$\\{${variable}:-[^}]*\\}$`));
  });

  it('starts processes that the bundler builds', () => {
    const programs = ours
      .filter(([name]) => name !== 'loopback') // a few lines
      .map(([, { entrypoint, command = [] }]) => entrypoint ?? command); // the job takes options
    const started = programs.map((program) => program.at(-1));
    expect([...new Set(started)].sort()).toEqual(
      Object.keys(entries)
        .filter((name) => name !== 'ops') // for people
        .map((name) => `dist/${name}.js`)
        .sort(),
    );
    for (const program of programs) expect(program.slice(0, 2)).toEqual(['node', '--enable-source-maps']);
  });

  it('publishes nothing beyond loopback', () => {
    const published = Object.values(compose.services).flatMap((one) => one.ports ?? []);
    expect(published.length).toBeGreaterThan(0);
    for (const port of published) expect(port).toMatch(/^127\.0\.0\.1:\d+:\d+$/);
    expect(Object.values(compose.services).map((one) => one.network_mode)).not.toContain('host');
  });

  it('keeps what people wrote out of the log of its Postgres, as the embedded one does and the documents ask (I-14)', () => {
    for (const [name, value] of Object.entries(noValuesInLog)) {
      expect(service('postgres').command).toContain(`-c${name}=${value}`);
      expect(read('docs/operations/postgres-and-temporal.md')).toContain(`\`${name} = ${value}\``);
    }
  });

  it('pins every image to a version', () => {
    const images = Object.values(compose.services).flatMap((one) => one.image ?? []);
    const base = /^ARG NODE_IMAGE=(\S+)$/m.exec(read('Dockerfile'))?.[1] ?? '';
    for (const image of [...images, base]) expect(image).toMatch(/^[a-z/-]+:\d+\.\d+(\.\d+)?(-[a-z-]+)?$/);
  });

  it('has a stand-in for each image of others, for machines without a registry of images', () => {
    const [, made = ''] = /^for name in (.*); do$/m.exec(read('docker/stand-ins/make.sh')) ?? [];
    const ofOthers = Object.values(compose.services).filter((one) => one.build === undefined);
    const names = [...new Set(ofOthers.map(({ image = '' }) => image.replace(/:.*/, '')))];
    expect(made.split(' ').sort()).toEqual(names.sort());
    const targets = [...read('docker/stand-ins/Dockerfile').matchAll(/^FROM .* AS (\S+)$/gm)];
    expect(targets.map(([, target]) => target).sort()).toEqual(names.map((name) => basename(name)).sort());
  });

  it('takes every secret from the environment, refuses to start without it, and tells where it is named', () => {
    const values = Object.values(compose.services).flatMap((one) => Object.entries(one.environment ?? {}));
    const secrets = values.filter(
      ([name]) => /PASSWORD|PWD|SECRET|DATABASE_URL/.test(name) && name !== 'PORTAL_CLIENT_SECRET', // may be left out
    );
    expect(secrets.length).toBeGreaterThanOrEqual(6);
    for (const [, value] of secrets)
      expect(value).toMatch(/\$\{[A-Z_]+:\?set it, see docker\/example\.env\}/);
    const example = read('docker/example.env');
    const required = new Set([...text.matchAll(/\$\{([A-Z_]+):\?/g)].map((match) => match[1]));
    for (const name of required) expect(example).toMatch(new RegExp(`^${String(name)}=$`, 'm'));
  });

  it('starts the parts in order: what others wait for has a health check or runs to its end', () => {
    for (const one of Object.values(compose.services)) {
      for (const [name, { condition }] of Object.entries(one.depends_on ?? {})) {
        const awaited = service(name);
        if (condition === 'service_healthy') expect(awaited.healthcheck?.test[0]).toBe('CMD');
      }
    }
    expect(service('api').depends_on).toEqual({
      migrate: { condition: 'service_completed_successfully' },
      'temporal-namespace': { condition: 'service_completed_successfully' },
    });
    expect(service('worker').depends_on).toEqual(service('api').depends_on);
    for (const name of ['sandbox', 'loopback']) expect(service(name).profiles).toEqual(['sandbox']);
  });

  it('brings the reports of the sandbox from the loopback of the worker to the api', async () => {
    const [program, option, code = ''] = service('loopback').command ?? [];
    expect([program, option, service('loopback').network_mode]).toEqual(['node', '--eval', 'service:worker']);
    const [near, api] = [await freePort(), createServer((_, response) => response.end('the api'))];
    await new Promise<void>((done) => api.listen(0, '127.0.0.1', done));
    const { port } = api.address() as AddressInfo;
    const here = code.replace("8080, 'api'", String(port)).replace('listen(8080', `listen(${near}`);
    const child = spawn(process.execPath, ['--eval', here], { cwd: root, stdio: 'ignore' });
    try {
      const answer = async () => (await fetch(`http://127.0.0.1:${near}`)).text();
      await expect.poll(() => answer().catch(String)).toBe('the api');
      child.kill('SIGTERM');
      const exitCode = await new Promise((ended) => child.once('exit', ended));
      expect(exitCode).toBe(0); // in order, while a connection is open
    } finally {
      child.kill('SIGKILL');
      api.close();
    }
  });

  it('mounts only files that exist', () => {
    const mounts = Object.values(compose.services)
      .flatMap((one) => one.volumes ?? [])
      .filter((volume) => volume.startsWith('./'));
    expect(mounts.length).toBe(4);
    for (const mount of mounts) {
      expect(existsSync(join(root, mount.split(':')[0] ?? ''))).toBe(true);
      expect(mount).toMatch(/:ro$/);
    }
  });
});

describe('the Temporal server of the deployment', () => {
  it('has the dynamic configuration of the development server', () => {
    const deployed = parse(read('docker/temporal-dynamic-config.yaml')) as Record<
      string,
      { value: unknown }[]
    >;
    const values = Object.entries(deployed).map(([key, settings]) => [
      key,
      settings.map(({ value }) => value),
    ]);
    expect(Object.fromEntries(values)).toEqual(
      Object.fromEntries(Object.entries(dynamicConfig).map(([key, value]) => [key, [value]])),
    );
  });

  it('knows the search attributes that workflows set', () => {
    const script = read('docker/temporal-namespace.sh');
    const registered = /^for name in ([\w ]+); do$/m.exec(script)?.[1];
    expect(registered?.split(' ')).toEqual(Object.values(searchAttributes).map(({ name }) => name));
    expect(new Set(Object.values(searchAttributes).map(({ type }) => type))).toEqual(new Set(['KEYWORD']));
    expect(script).toContain('--type Keyword');
  });
});

describe('Dockerfile', () => {
  it('gets every folder that the processes are built from', async () => {
    const { metafile } = await build({
      absWorkingDir: root,
      entryPoints: [...Object.values(entries), 'workflows/index.ts', 'cli/bundle.mjs'],
      outdir: 'unused',
      ...asInImage,
      metafile: true,
      write: false,
    });
    const folders = new Set(Object.keys(metafile.inputs).map((path) => path.split('/')[0] ?? ''));
    expect([...folders]).toEqual(expect.arrayContaining(['api', 'contract', 'core', 'telemetry']));
    const admitted = read('.dockerignore').split('\n');
    expect([...folders].filter((folder) => !admitted.includes(`!${folder}`))).toEqual([]);
  });

  it('runs as an unprivileged user, on Debian, with what the build context holds', () => {
    const dockerfile = read('Dockerfile');
    const stages = dockerfile.split(/^FROM /m);
    expect(stages.at(-1)).toMatch(/^USER node$/m);
    expect(dockerfile).not.toContain('alpine');
    const admitted = read('.dockerignore')
      .split('\n')
      .filter((line) => line.startsWith('!'))
      .map((line) => line.slice(1));
    for (const path of admitted)
      expect({ path, exists: existsSync(join(root, path)) }).toEqual({ path, exists: true });
    for (const path of Object.values(entries)) expect(admitted).toContain(path.split('/')[0]);
    for (const path of ['schemas', 'db/seed', 'docs/reference/rules.md', 'docs/operations/alerts.md']) {
      expect(dockerfile).toMatch(new RegExp(`^COPY ${path} ${path}$`, 'm'));
      expect(existsSync(join(root, path))).toBe(true);
      expect(admitted.some((one) => path === one || path.startsWith(`${one}/`))).toBe(true);
    }
  });
});
