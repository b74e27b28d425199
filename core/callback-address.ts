/**
 * Whether an address that a submission names for its answer is one that its operator registered (SEC-2).
 * Purely lexical: what the address resolves to is checked when the connection is made (activities/outbound-http.ts).
 */

const maxLength = 2_048;
// scheme, host (a name or an address in plain form), port, path, query: no userinfo, no fragment, nothing else
const form =
  /^(https?):\/\/([a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:]+\])(?::([1-9]\d{0,4}))?(\/[A-Za-z0-9\-._~!$&'()*+,;=:@%/]*)?(\?[A-Za-z0-9\-._~!$&'()*+,;=:@%/?]*)?$/;
const originForm =
  /^(https?):\/\/([a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:]+\])(?::([1-9]\d{0,4}|\*))?(\/[A-Za-z0-9\-._~!$&'()*+,;=:@/]*)?$/;

export interface CallbackPolicy {
  /** As registered: scheme, host, port (`*`: any), path prefix. */
  readonly origins: readonly string[];
  /** Whether plain http is allowed on loopback: demos only. */
  readonly allowLoopbackHttp: boolean;
}

/** @returns undefined when the address may be used, else why not, for the person who sent it */
export function refuseCallbackAddress(address: string, policy: CallbackPolicy): string | undefined {
  if (address.length > maxLength) return `is longer than ${maxLength} characters`;
  const match = form.exec(address);
  if (match === null)
    return 'is not written as scheme://host[:port]/path, in lower case, without userinfo or fragment';
  const [, scheme = '', host = '', port, path = '/'] = match;
  if (port !== undefined && Number(port) > 65_535) return 'has a port above 65535';
  if (/(^|\/)(\.|%2e){1,2}(\/|$)|%2f|%5c|\/\//i.test(path))
    return 'has a path with dot segments or empty segments';
  if (scheme === 'http' && !(policy.allowLoopbackHttp && isLoopbackHost(host))) return 'is not https';
  const isRegistered = policy.origins.some((origin) => covers(origin, { scheme, host, port, path }));
  return isRegistered ? undefined : 'is not under a callback origin that its operator registered';
}

interface AddressParts {
  readonly scheme: string;
  readonly host: string;
  readonly port: string | undefined;
  readonly path: string;
}

/** Literal comparison: an address must be written as it was registered. */
function covers(origin: string, address: AddressParts): boolean {
  const match = originForm.exec(origin);
  if (match === null) return false;
  const [, scheme, host, port, prefix = '/'] = match;
  if (scheme !== address.scheme || host !== address.host) return false;
  if (port !== '*' && port !== address.port) return false;
  return prefix.endsWith('/')
    ? address.path.startsWith(prefix)
    : address.path === prefix || address.path.startsWith(`${prefix}/`);
}

function isLoopbackHost(host: string): boolean {
  return host === 'localhost' || host === '127.0.0.1' || host === '[::1]';
}

/** The same for an address that an operator or FX provider registered, without origins. */
export function refuseEndpoint(
  address: string,
  policy: Pick<CallbackPolicy, 'allowLoopbackHttp'>,
): string | undefined {
  const match = form.exec(address);
  if (match === null) return 'is not written as scheme://host[:port]/path';
  const [, scheme, host = ''] = match;
  return scheme === 'http' && !(policy.allowLoopbackHttp && isLoopbackHost(host))
    ? 'is not https'
    : undefined;
}
