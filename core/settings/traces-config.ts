/**
 * The settings of traces (OBS-3), by OpenTelemetry's own names. Without an address to export to there are none,
 * whatever else is set.
 */
import { isWebAddress } from './setting-forms.ts';

const samplerNames = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

export const traceVariables = {
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    description:
      'Address of an OpenTelemetry collector, https, or http in a network of your own; traces go to /v1/traces below it. Empty, and no OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: no traces (OBS-3)',
    default: '',
  },
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: {
    description: 'The same for traces alone, with its whole path; it goes before the other',
    default: '',
  },
  OTEL_SDK_DISABLED: { description: 'true: no traces, whatever else is set', default: 'false' },
  OTEL_TRACES_EXPORTER: { description: 'otlp; none: no traces, whatever else is set', default: 'otlp' },
  OTEL_EXPORTER_OTLP_PROTOCOL: { description: 'http/protobuf, and no other', default: 'http/protobuf' },
  OTEL_EXPORTER_OTLP_HEADERS: {
    description:
      'Headers for the collector, such as its key: name=value, separated by commas, percent-encoded',
    default: '',
  },
  OTEL_TRACES_SAMPLER: {
    description: `Which traces are exported: ${samplerNames.join(', ')}. parentbased: whoever began the trace decides`,
    default: 'parentbased_always_on',
  },
  OTEL_TRACES_SAMPLER_ARG: { description: 'For traceidratio: the share of traces, 0 to 1', default: '1' },
  OTEL_SERVICE_NAME: {
    description: 'Name of the process in its traces; default: isthmus-api, isthmus-worker',
    default: '',
  },
} as const;

export interface TracesConfig {
  /** Of an OTLP receiver over HTTP, with its path. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly sampler: (typeof samplerNames)[number];
  /** Share of the traces, where the sampler is of that kind. */
  readonly ratio: number;
  /** Undefined: the process's own. */
  readonly serviceName?: string;
}

/** How settings are read, and refused. */
export interface SettingReader {
  readonly read: (name: keyof typeof traceVariables) => string;
  readonly refused: (name: keyof typeof traceVariables, expected: string) => Error;
}

/** @returns undefined without an address to export to, or where they are switched off */
export function parseTraces({ read, refused }: SettingReader): TracesConfig | undefined {
  const url = endpoint(read, refused);
  if (url === undefined || isOff(read, refused)) return undefined;
  if (read('OTEL_EXPORTER_OTLP_PROTOCOL') !== 'http/protobuf') {
    throw refused('OTEL_EXPORTER_OTLP_PROTOCOL', 'http/protobuf');
  }
  const headers = parseHeaders(read('OTEL_EXPORTER_OTLP_HEADERS'));
  if (headers === undefined) {
    throw refused('OTEL_EXPORTER_OTLP_HEADERS', 'name=value, separated by commas, percent-encoded');
  }
  const sampler = samplerNames.find((name) => name === read('OTEL_TRACES_SAMPLER'));
  if (sampler === undefined) throw refused('OTEL_TRACES_SAMPLER', samplerNames.join(', '));
  const share = read('OTEL_TRACES_SAMPLER_ARG');
  if (!/^(?:0(?:\.\d+)?|1(?:\.0+)?)$/.test(share)) {
    throw refused('OTEL_TRACES_SAMPLER_ARG', 'a decimal, 0 to 1');
  }
  const serviceName = read('OTEL_SERVICE_NAME');
  return { url, headers, sampler, ratio: Number(share), ...(serviceName !== '' && { serviceName }) };
}

function isOff(read: SettingReader['read'], refused: SettingReader['refused']): boolean {
  const disabled = read('OTEL_SDK_DISABLED').toLowerCase(); // OpenTelemetry: of any case
  if (disabled !== 'true' && disabled !== 'false') throw refused('OTEL_SDK_DISABLED', 'true or false');
  const exporter = read('OTEL_TRACES_EXPORTER');
  if (exporter !== 'otlp' && exporter !== 'none') throw refused('OTEL_TRACES_EXPORTER', 'otlp or none');
  return disabled === 'true' || exporter === 'none';
}

/** In a network of one's own a collector commonly listens in plain http, as Prometheus does: that is allowed. */
function endpoint(read: SettingReader['read'], refused: SettingReader['refused']): string | undefined {
  const names = ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT'] as const;
  const [own = '', shared = ''] = names.map((name) => {
    const address = read(name);
    if (address === '' || isWebAddress(address)) return address;
    throw refused(name, 'an http or https address in lower case, without userinfo, query or fragment');
  });
  if (own !== '') return own;
  return shared === '' ? undefined : `${shared.replace(/\/$/, '')}/v1/traces`;
}

const headerForm = /^([\w!#$%&'*+.^`|~-]+)=([!-~]*)$/;

/** @returns undefined where they cannot be sent */
function parseHeaders(list: string): Readonly<Record<string, string>> | undefined {
  const headers: Record<string, string> = {};
  for (const item of list.split(',')) {
    if (item.trim() === '') continue;
    const [, name, encoded] = headerForm.exec(item.trim()) ?? [];
    const value = encoded === undefined ? undefined : decoded(encoded);
    if (name === undefined || value === undefined || !/^[ -~]*$/.test(value)) return undefined;
    headers[name] = value;
  }
  return headers;
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
