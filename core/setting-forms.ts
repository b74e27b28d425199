/**
 * The forms of settings that name a place: what is no address of its kind stops the start, where it would otherwise fail
 * later, or be trusted although it is not what was meant (SEC-1, SEC-2).
 */
import { hostFault } from './host.ts';
import { isSecure, parseWebAddress, type WebAddress, type WebAddressPolicy } from './web-address.ts';

/** An http or https address, without a query. */
export function isWebAddress(text: string): boolean {
  const parsed = parseWebAddress(text);
  return typeof parsed !== 'string' && parsed.query === '';
}

/** An https address, or one over http on loopback where that is allowed. */
export function isSecureAddress(text: string, policy: WebAddressPolicy): boolean {
  const parsed = parseWebAddress(text);
  return typeof parsed !== 'string' && isSecure(parsed, policy);
}

/** An origin as a browser sends it: nothing after the host, and no port that the scheme has anyway. */
export function isBrowserOrigin(text: string): boolean {
  const parsed = parseWebAddress(text);
  if (typeof parsed === 'string' || !isSecure(parsed, { allowLoopbackHttp: true })) return false;
  return text === originOf(parsed) && parsed.port !== (parsed.scheme === 'https' ? '443' : '80');
}

function originOf({ scheme, host, port }: WebAddress): string {
  return `${scheme}://${host}${port === undefined ? '' : `:${port}`}`;
}

const databaseForm =
  /^postgres(?:ql)?:\/\/(?:[^\s/?#]*@)?(?<host>\[[0-9a-f:]+\]|[^\s/?#@:[\]]*)(?::\d{1,5})?\/[^\s/?#]+(?<query>\?[^\s#]*)?$/i;

/** postgres://user:password@host:port/database; the host may stand in the query, as for a socket. */
export function isDatabaseUrl(text: string): boolean {
  const { host, query } = databaseForm.exec(text)?.groups ?? {};
  return host !== undefined && (host !== '' || /[?&]host=[^&]/.test(query ?? ''));
}

/** host:port. */
export function isHostAndPort(text: string): boolean {
  const [, host = '', port] = /^(.*):([1-9]\d{0,4})$/.exec(text) ?? [];
  const isNamed = host.startsWith('[') ? host.endsWith(']') : /^[a-z0-9_.-]+$/i.test(host);
  return isNamed && Number(port) <= 65_535;
}

/** What a server can bind: a name or an address, without a port. */
export function isBindHost(text: string): boolean {
  return /^[0-9a-f]*:[0-9a-f]*:[0-9a-f:.]*$/i.test(text) || hostFault(text.toLowerCase()) === undefined;
}
