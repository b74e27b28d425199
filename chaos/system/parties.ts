// The addresses of the parties. Each operator, callback origin and FX provider has a separate proxy, so that
// each can fail alone. The database contains the addresses of the proxies.
import clearingSystems from '../../db/seed/clearing-systems.json' with { type: 'json' };
import type { SeedAddresses } from '../../db/seed.ts';
import type { Random } from '../load/random.ts';
import { openFaultProxy, type Conduct, type FaultProxy } from './fault-proxy.ts';
import { names } from './names.ts';

export interface SandboxUrls {
  readonly source: string;
  readonly destination: string;
  readonly fxProvider: string;
}

export interface Parties {
  /**
   * Keyed by party, under the names of the journals, such as `destination/IPSO-TH`, `source/SGDFAST` and
   * `fxp/MERISGS0`.
   */
  readonly proxies: ReadonlyMap<string, FaultProxy>;
  /**
   * Second addresses of operators. A destination's second address is registered only by the fault that moves
   * the destination. A source's second address is always registered, because a repeat may name it (DUP-1).
   */
  readonly otherAddresses: ReadonlyMap<string, FaultProxy>;
  /** The addresses that the seed data register. */
  readonly addresses: SeedAddresses;
  /** Callback origins, keyed by operator. */
  readonly callbackOrigins: ReadonlyMap<string, readonly string[]>;
  callbackUrl(clearingSystemId: string, message: 'pacs002' | 'acmt024', which: 'usual' | 'other'): string;
  /** Returns the full URL of an operator or FX provider at this origin. */
  urlOf(party: string, origin: string): string;
  close(): Promise<void>;
}

/**
 * Real receivers sometimes refuse a message that they accept at the next attempt, even without a fault. With
 * these weights, every run contains each kind of refusal.
 */
const moods: readonly { readonly weight: number; readonly conduct: Conduct }[] = [
  { weight: 91.3, conduct: 'pass' },
  { weight: 2, conduct: 'fail' },
  { weight: 1.5, conduct: 'fail-for-now' },
  { weight: 1.5, conduct: 'deny' },
  { weight: 1, conduct: 'redirect' },
  { weight: 1.5, conduct: 'lose-answer' },
  { weight: 0.5, conduct: 'gone' },
  { weight: 0.7, conduct: 'hang' },
];

/**
 * @param trap URL to which redirects lead; a connection to it breaks I-7
 * @param random draws the moods of sources and FX providers
 */
export async function openParties(sandbox: SandboxUrls, trap: string, random: Random): Promise<Parties> {
  const mood = () => random.weighted(moods).conduct;
  const open = (party: string) => {
    if (party.startsWith('destination/')) return openFaultProxy({ target: sandbox.destination, trap });
    const target = party.startsWith('source/') ? sandbox.source : sandbox.fxProvider;
    return openFaultProxy({ target, trap, mood });
  };
  const proxies = new Map<string, FaultProxy>();
  const otherAddresses = new Map<string, FaultProxy>();
  for (const party of names.parties) proxies.set(party, await open(party));
  for (const party of names.movable) otherAddresses.set(party, await open(party));
  const originOf = (party: string, among: ReadonlyMap<string, FaultProxy> = proxies) => {
    const proxy = among.get(party);
    if (proxy === undefined) throw new Error(`no such party: ${party}`);
    return proxy.origin;
  };
  const urlOf = (party: string, origin: string) => `http://${origin}/${party.split('/')[1] ?? ''}`;
  return {
    proxies,
    otherAddresses,
    addresses: {
      operatorEndpointUrl: (id) => urlOf(`destination/${id}`, originOf(`destination/${id}`)),
      fxpBaseUrl: (bic) => urlOf(`fxp/${bic}`, originOf(`fxp/${bic}`)),
    },
    callbackOrigins: new Map(
      [...new Set(clearingSystems.map((one) => one.operatorId))].map((id) => [
        id,
        clearingSystems
          .filter((one) => one.operatorId === id)
          .flatMap(({ clearingSystemId: id }) =>
            [proxies, otherAddresses].map((among) => `http://${originOf(`source/${id}`, among)}`),
          ),
      ]),
    ),
    callbackUrl: (clearingSystemId, message, which) =>
      `http://${originOf(`source/${clearingSystemId}`, which === 'usual' ? proxies : otherAddresses)}/callbacks/${clearingSystemId}/${message}`,
    urlOf,
    close: async () => {
      await Promise.all([...proxies.values(), ...otherAddresses.values()].map((proxy) => proxy.close()));
    },
  };
}
