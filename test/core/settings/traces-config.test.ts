// The settings of traces use OpenTelemetry's own names (OBS-3).
import { describe, expect, test } from 'vitest';
import { parseWorkerConfig } from '../../../core/settings/config.ts';
import { ConfigurationError } from '../../../core/settings/environment-variables.ts';
import type { Environment } from '../../../core/settings/environment-variables.ts';

const least: Environment = {
  DATABASE_URL: 'postgres://u:p@db:5432/isthmus',
  TEMPORAL_ADDRESS: 'temporal:7233',
};
const endpoint = 'http://collector:4318';
const traces = (env: Environment) => parseWorkerConfig({ ...least, ...env }).traces;
const fault = (env: Environment): string => {
  try {
    traces({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, ...env });
  } catch (error) {
    if (error instanceof ConfigurationError) return error.message;
    throw error;
  }
  return 'it was taken';
};

test('without an address there are no traces, whatever else is set', () => {
  expect(traces({})).toBeUndefined();
  expect(traces({ OTEL_TRACES_SAMPLER: 'jaeger_remote', OTEL_EXPORTER_OTLP_HEADERS: ';' })).toBeUndefined();
});

test('a collector gets them at /v1/traces, in plain http too, unless traces have an address of their own', () => {
  expect(traces({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint })).toEqual({
    url: 'http://collector:4318/v1/traces',
    headers: {},
    sampler: 'parentbased_always_on',
    ratio: 1,
  });
  expect(traces({ OTEL_EXPORTER_OTLP_ENDPOINT: 'https://c.example/otlp/' })?.url).toBe(
    'https://c.example/otlp/v1/traces',
  );
  const own = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://t.example/in' };
  expect(traces({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, ...own })?.url).toBe('https://t.example/in');
});

test('headers, sampler, share and name', () => {
  const env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20a.b, x-team=payments,',
    OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0.05',
    OTEL_SERVICE_NAME: 'isthmus-eu',
  };
  expect(traces(env)).toMatchObject({
    headers: { authorization: 'Bearer a.b', 'x-team': 'payments' },
    sampler: 'parentbased_traceidratio',
    ratio: 0.05,
    serviceName: 'isthmus-eu',
  });
});

describe('what is not understood stops the start, by name, and repeats no secret', () => {
  test.each([
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4317'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'grpc://collector:4317'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'http://u:secret@collector:4318'],
    ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'http://collector/v1/traces?key=secret'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'Bearer secret'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'a=%zz-secret'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'a=secret%0d%0ab: c'],
    ['OTEL_TRACES_SAMPLER', 'always'],
    ['OTEL_SDK_DISABLED', '1'],
    ['OTEL_TRACES_SAMPLER_ARG', '5'],
    ['OTEL_TRACES_SAMPLER_ARG', '-0.1'],
    ['OTEL_TRACES_SAMPLER_ARG', '1e-3'],
  ])('%s=%s', (name, value) => {
    const told = fault({ [name]: value });
    expect(told).toMatch(new RegExp(`^${name} is not valid; expected: .+`));
    expect(told).not.toContain('secret');
  });
});
