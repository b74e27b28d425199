/**
 * Whether a request comes from a web page that may not make it. A server on loopback without authentication can be
 * reached by every page open in a browser on the same machine: across origins, or through a host name rebound to this
 * address.
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
  /** Origins whose pages may make requests. */
  readonly origins: readonly string[];
  /** Our own hosts, with their ports, besides the names of this machine. */
  readonly hosts?: readonly string[];
}

/**
 * @returns why the request is refused, for the person who made it; undefined if it may proceed
 */
export function refuseBrowser(
  source: RequestSource,
  { origins, hosts = [] }: BrowserPolicy,
): string | undefined {
  const { host = '', origin, site } = source;
  if (!isLoopbackName(host) && !hosts.includes(host)) {
    return 'The Host header does not name this machine. Use 127.0.0.1 or localhost.';
  }
  if (origin !== undefined && origins.includes(origin)) return undefined;
  const isElsewhere = origin !== undefined && origin !== `http://${host}` && origin !== `https://${host}`;
  return isElsewhere || (site !== undefined && site !== 'same-origin' && site !== 'none')
    ? 'A web page of another origin may not make this request. Use a program, or a page of an allowed origin.'
    : undefined;
}

/** With or without a port. */
function isLoopbackName(host: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i.test(host);
}
