// Resolves the host names of receivers without the shared thread pool. So a name server that does not answer
// for one name delays no send to another. connect-checked.ts checks the addresses.
import { Resolver } from 'node:dns/promises';
import { closeSync, openSync, readFileSync } from 'node:fs';
import net from 'node:net';
import { errorClassOf } from './error-class.ts';

export interface ResolverOptions {
  /** `address:port` of each server; default: the servers in /etc/resolv.conf. */
  readonly nameServers?: readonly string[];
  /** Path of the hosts file; default /etc/hosts. */
  readonly hostsFile?: string;
  /** Monotonic clock, in milliseconds; default `performance.now`. */
  readonly now?: () => number;
}

export interface NameResolver {
  /**
   * Resolves a host to numeric addresses, IPv4 first, at least one. It does not use search domains.
   * @throws NameError within 1.5 s
   */
  readonly resolve: (host: string) => Promise<readonly string[]>;
}

export class NameError extends Error {
  override readonly name = 'NameError';
  readonly errorClass: 'name-unknown' | 'name-timeout' | 'name-failed' | 'own-resources';

  constructor(errorClass: NameError['errorClass']) {
    super(errorClass);
    this.errorClass = errorClass;
  }
}

const limitMs = 1_500; // The total over all servers and tries (CBK-3).
// Milliseconds. If the first of three servers does not answer, there is time for the third.
const tryMs = 400;
const tries = 2;
const otherFamilyMs = 100; // How long to wait for the other address family after one has answered.
const longestMs = 30_000; // The longest time in the cache.
// The shortest time in the cache, also for failures. A burst of sends then asks only once.
const shortestMs = 1_000;
const maxNames = 1_000; // The size of the cache. Only names of registered addresses are resolved.

type Known = { readonly addresses: readonly string[] } | { readonly error: NameError };

export function createNameResolver(options: ResolverOptions = {}): NameResolver {
  const { nameServers, hostsFile = '/etc/hosts', now = () => performance.now() } = options;
  const cache = new Map<string, { readonly until: number; readonly known: Known }>();
  const underWay = new Map<string, Promise<Known>>();

  async function lookUp(host: string): Promise<Known> {
    const found = await find(host, { hostsFile, nameServers });
    const ttlMs = 'error' in found ? shortestMs : Math.max(shortestMs, Math.min(found.ttlMs, longestMs));
    cache.delete(host); // Delete it first, so that the new entry moves to the end.
    cache.set(host, { until: now() + ttlMs, known: found });
    for (const oldest of cache.keys()) {
      if (cache.size <= maxNames) break;
      cache.delete(oldest);
    }
    return found;
  }

  return {
    resolve: async (name) => {
      const host = name.toLowerCase();
      const cached = cache.get(host);
      const join = () => {
        const asked = lookUp(host).finally(() => underWay.delete(host));
        underWay.set(host, asked);
        return asked;
      };
      const isFresh = cached !== undefined && now() < cached.until;
      const known = isFresh ? cached.known : await (underWay.get(host) ?? join());
      if ('error' in known) throw known.error;
      return known.addresses;
    },
  };
}

type Found = { addresses: readonly string[]; ttlMs: number } | { error: NameError };

async function find(
  host: string,
  { hostsFile, nameServers }: { hostsFile: string; nameServers: readonly string[] | undefined },
): Promise<Found> {
  const local = host === 'localhost' ? ['127.0.0.1', '::1'] : addressesInHostsFile(hostsFile, host);
  if ('error' in local) return local;
  if (local.length > 0) return { addresses: local, ttlMs: longestMs };
  const asked = await ask(host, nameServers);
  // The resolver (c-ares) does not report a lack of file descriptors for its query.
  return 'error' in asked && isShortOfFiles() ? { error: new NameError('own-resources') } : asked;
}

/**
 * Asks the name servers for both address families at once. The c-ares resolver holds no thread while it
 * waits.
 */
async function ask(host: string, nameServers: readonly string[] | undefined): Promise<Found> {
  const resolver = new Resolver({ timeout: tryMs, tries });
  if (nameServers !== undefined) resolver.setServers(nameServers);
  const timers = [setTimeout(() => resolver.cancel(), limitMs)];
  const hurry = (records: readonly { readonly address: string; readonly ttl: number }[]) => {
    if (records.length > 0) timers.push(setTimeout(() => resolver.cancel(), otherFamilyMs));
    return records;
  };
  const answers = await Promise.allSettled([
    resolver.resolve4(host, { ttl: true }).then(hurry),
    resolver.resolve6(host, { ttl: true }).then(hurry),
  ]);
  timers.forEach(clearTimeout);
  const records = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  if (records.length === 0) return { error: new NameError(nameErrorClassOf(answers)) };
  return {
    addresses: records.map(({ address }) => address),
    ttlMs: Math.min(...records.map(({ ttl }) => ttl)) * 1_000,
  };
}

const unknownCodes: ReadonlySet<unknown> = new Set(['ENOTFOUND', 'ENODATA', 'EBADNAME']);
const timeoutCodes: ReadonlySet<unknown> = new Set(['ETIMEOUT', 'ECANCELLED']);

function nameErrorClassOf(answers: readonly PromiseSettledResult<unknown>[]): NameError['errorClass'] {
  const codes = answers.map((answer) =>
    answer.status === 'rejected' ? (answer.reason as NodeJS.ErrnoException).code : 'ENODATA',
  );
  if (codes.every((code) => unknownCodes.has(code))) return 'name-unknown';
  return codes.some((code) => timeoutCodes.has(code)) ? 'name-timeout' : 'name-failed';
}

/**
 * Reads the hosts file, which c-ares ignores. The read is synchronous, because an asynchronous one would wait
 * for the thread pool.
 */
function addressesInHostsFile(path: string, host: string): readonly string[] | { error: NameError } {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (isOfOurMachine(error)) return { error: new NameError('own-resources') };
    return []; // The file is optional.
  }
  const addresses = text.split('\n').flatMap((line) => {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/);
    return net.isIP(address) !== 0 && names.some((name) => name.toLowerCase() === host) ? [address] : [];
  });
  return [...addresses.filter(net.isIPv4), ...addresses.filter(net.isIPv6)];
}

const isOfOurMachine = (error: unknown) => errorClassOf(error) === 'own-resources';

function isShortOfFiles(): boolean {
  try {
    closeSync(openSync('/dev/null', 'r'));
    return false;
  } catch (error) {
    return isOfOurMachine(error);
  }
}
