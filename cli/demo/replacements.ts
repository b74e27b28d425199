// Replaces a sandbox party by the user's own server, as in `--destination MY=http://127.0.0.1:9000` or `--fxp
// MERISGS0=http://127.0.0.1:9001`. This changes only addresses in the reference data, never how a payment is
// handled.
import type { SeedAddresses } from '../../db/seed.ts';
import { demoCountries, demoFxpBics, demoSystems } from './scheme.ts';
import { UsageError } from '../errors.ts';

export interface Replacements {
  /** Base addresses by operator id. An operator may serve several countries, such as DE and FR. */
  readonly operators: ReadonlyMap<string, string>;
  /** Base addresses of FX providers by BIC. */
  readonly fxps: ReadonlyMap<string, string>;
}

/** @throws UsageError if a country or FX provider is unknown, or an address is invalid */
export function parseReplacements(destinations: readonly string[], fxps: readonly string[]): Replacements {
  return {
    operators: new Map(destinations.map((text) => parseOne('--destination', text, operatorOf))),
    fxps: new Map(fxps.map((text) => parseOne('--fxp', text, knownFxp))),
  };
}

/** Returns the address of each party: the sandbox, or the user's own server. */
export function addressesWith(
  replaced: Replacements,
  sandbox: { readonly destination: string; readonly fxProvider: string },
): SeedAddresses {
  return {
    operatorEndpointUrl: (operatorId) =>
      replaced.operators.get(operatorId) ?? `${sandbox.destination}/${operatorId}`,
    fxpBaseUrl: (fxpBic) => replaced.fxps.get(fxpBic) ?? `${sandbox.fxProvider}/${fxpBic}`,
  };
}

function parseOne(
  option: string,
  text: string,
  known: (key: string) => string | undefined,
): readonly [id: string, url: string] {
  const [, key = '', address = ''] = /^([^=]*)=(.*)$/.exec(text) ?? [];
  const example = option === '--fxp' ? 'MERISGS0=http://127.0.0.1:9001' : 'MY=http://127.0.0.1:9000';
  const id = known(key);
  if (id === undefined) {
    const names = option === '--fxp' ? demoFxpBics : demoCountries;
    throw new UsageError(`${option} ${text}: name one of ${names.join(', ')}, as in ${option} ${example}`);
  }
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const isPlain = url?.search === '' && url.hash === '' && url.username === '' && url.password === '';
  const isLoopback = ['127.0.0.1', 'localhost', '[::1]'].includes(url?.hostname ?? '');
  if (!isPlain || !/^https?:$/.test(url.protocol) || (url.protocol === 'http:' && !isLoopback)) {
    throw new UsageError(
      `${option} ${text}: the address must be http on loopback or https, without query (SEC-2), as in ${option} ${example}`,
    );
  }
  return [id, address.replace(/(?<!\/)\/+$/, '')];
}

function operatorOf(country: string): string | undefined {
  return demoSystems.find((system) => system.countryCodes.includes(country))?.operatorId;
}

function knownFxp(bic: string): string | undefined {
  return demoFxpBics.find((one) => one === bic);
}
