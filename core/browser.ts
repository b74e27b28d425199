/**
 * Whether a request comes from a web page that may not make it. A server on loopback that asks nobody who they are is reached
 * by every page that a browser on the same machine shows: across origins, or by a name that was made to lead here.
 */

export interface RequestSource {
  /** Header Host. */
  readonly host: string | undefined;
  /** Header Origin, which browsers send across origins. */
  readonly origin: string | undefined;
  /** Header Sec-Fetch-Site, which browsers send with every request. */
  readonly site: string | undefined;
}

export interface BrowserPolicy {
  /** Origins whose pages may ask. */
  readonly origins: readonly string[];
  /** Hosts, with their ports, that are ours besides the names of this machine. */
  readonly hosts?: readonly string[];
}

/**
 * @returns why the request is refused, for the person who made it; undefined when it may go on
 */
export function refuseBrowser(
  source: RequestSource,
  { origins, hosts = [] }: BrowserPolicy,
): string | undefined {
  const { host = '', origin, site } = source;
  if (!isLoopbackName(host) && !hosts.includes(host)) {
    return 'The Host header names something else than this machine. Use 127.0.0.1 or localhost.';
  }
  if (origin !== undefined && origins.includes(origin)) return undefined;
  const isElsewhere = origin !== undefined && origin !== `http://${host}` && origin !== `https://${host}`;
  return isElsewhere || (site !== undefined && site !== 'same-origin' && site !== 'none')
    ? 'A web page of another origin may not ask this. Ask from a program, or from a page of an allowed origin.'
    : undefined;
}

/** With or without a port. */
function isLoopbackName(host: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i.test(host);
}
