/**
 * Refuses requests from web pages that may not make them. Any page open in a browser on the same machine can reach an
 * unauthenticated server on loopback: by a cross-origin request, or by DNS rebinding.
 */

export interface RequestSource {
  /** The header Host. */
  readonly host: string | undefined;
  /** The header Origin, which browsers send with cross-origin requests. */
  readonly origin: string | undefined;
  /** The header Sec-Fetch-Site, which browsers send with every request. */
  readonly site: string | undefined;
}

export interface BrowserPolicy {
  /** Origins whose pages may make requests. */
  readonly origins: readonly string[];
  /** Hosts, with their ports, under which clients may address this server, besides loopback names. */
  readonly hosts?: readonly string[];
}

/** @returns the reason for the sender why the request is refused; undefined if it may proceed */
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

/** Whether a host is a loopback name. The port is optional. */
function isLoopbackName(host: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i.test(host);
}
