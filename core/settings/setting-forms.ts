/**
 * The forms of settings that are addresses. A malformed address stops the start. Otherwise it would fail later, or we
 * would trust an address that nobody meant.
 */
import { hostFault } from '../deliveries/host.ts';
import {
  isSecure,
  parseWebAddress,
  type WebAddress,
  type WebAddressPolicy,
} from '../deliveries/web-address.ts';

/** An http or https address, without a query. */
export function isWebAddress(text: string): boolean {
  const parsed = parseWebAddress(text);
  return parsed.ok && parsed.value.query === '';
}

/** An address at which others reach us: https, or http on loopback, without a query. */
export const isOwnAddress = (text: string): boolean =>
  isWebAddress(text) && isSecureAddress(text, { allowLoopbackHttp: true });

/** An https address, or an http address on loopback if the policy allows that. */
export function isSecureAddress(text: string, policy: WebAddressPolicy): boolean {
  const parsed = parseWebAddress(text);
  return parsed.ok && isSecure(parsed.value, policy);
}

/** An origin as a browser sends it: nothing after the host, and no default port. */
export function isBrowserOrigin(text: string): boolean {
  const parsed = parseWebAddress(text);
  if (!parsed.ok || !isSecure(parsed.value, { allowLoopbackHttp: true })) return false;
  const { scheme, port } = parsed.value;
  return text === originOf(parsed.value) && port !== (scheme === 'https' ? '443' : '80');
}

function originOf({ scheme, host, port }: WebAddress): string {
  return `${scheme}://${host}${port === undefined ? '' : `:${port}`}`;
}

const databaseForm =
  /^postgres(?:ql)?:\/\/(?:[^\s/?#]*@)?(?<host>\[[^\s/?#@[\]]*\]|[^\s/?#@:[\]]*)(?::(?<port>\d+))?\/[\w$.~%+-]+(?:\?(?<query>[^\s?#]*))?$/i;

/**
 * postgres://user:password@host:port/database. The host may be in the query (for a socket), or an encoded socket path.
 */
export function isDatabaseUrl(text: string): boolean {
  const { host, port, query = '' } = databaseForm.exec(text)?.groups ?? {};
  if (host === undefined || !isReadable(text)) return false;
  const parameters = query.split('&');
  const ports = parameters.filter((one) => one.startsWith('port=')).map((one) => one.slice('port='.length));
  const isNamed =
    host === '' ? parameters.some((one) => /^host=./.test(one)) : /^%2F/i.test(host) || isHost(host);
  const hasPorts = [...(port === undefined ? [] : [port]), ...ports].every(isPort);
  return isNamed && hasPorts && asksClearlyForTls(parameters);
}

const tlsModes = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify'];

/** Refuses anything like `sslmode` that would have no effect: its author relies on it. */
function asksClearlyForTls(parameters: readonly string[]): boolean {
  const modes = parameters.filter((one) => /^ssl_?mode(=|$)/i.test(one));
  return modes.length <= 1 && modes.every((one) => tlsModes.some((mode) => one === `sslmode=${mode}`));
}

/** Whether every character is visible, and the percent-encoded text is valid for a database. */
function isReadable(text: string): boolean {
  try {
    return !/\p{C}/u.test(text) && !decodeURIComponent(text).includes('\0');
  } catch {
    return false;
  }
}

/** host:port. */
export function isHostAndPort(text: string): boolean {
  const colon = text.lastIndexOf(':');
  return colon > 0 && isHost(text.slice(0, colon)) && isPort(text.slice(colon + 1));
}

/** 1 to 65535, without leading zeros. */
export function isPort(text: string): boolean {
  return /^[1-9]\d{0,4}$/.test(text) && Number(text) <= 65_535;
}

/** A host that a server can bind to: a name or an address, without a port. */
export function isBindHost(text: string): boolean {
  return isIpv6(text) || (!text.startsWith('[') && isHost(text));
}

/** Text of visible characters without spaces. */
export function isWord(text: string): boolean {
  return !/[\s\p{C}]/u.test(text);
}

/** A name, with underscores or a final dot as in private networks, or an address. */
function isHost(text: string): boolean {
  if (text.startsWith('[')) return text.endsWith(']') && isIpv6(text.slice(1, -1));
  return hostFault(text.toLowerCase().replaceAll('_', 'a').replace(/\.$/, '')) === undefined;
}

/** An IPv6 address in any of its forms (RFC 4291, 2.2), without a zone. */
function isIpv6(text: string): boolean {
  const plain = text.replace(/(?<=:)(?:\d{1,3}\.){3}\d{1,3}$/, (tail) => (hostFault(tail) ? tail : '0:0'));
  const [head = '', tail, ...more] = plain.split('::');
  const groups = [head, tail ?? ''].flatMap((part) => (part === '' ? [] : part.split(':')));
  const isWhole = tail === undefined ? groups.length === 8 : groups.length < 8 && more.length === 0;
  return isWhole && groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group));
}

/** PEM (RFC 7468): with any line breaks, and with explanatory text before and between. */
export function isPem(text: string): boolean {
  return /^-----BEGIN ([A-Z0-9 ]+)-----\r?\n[^]*^-----END \1-----\s*$/m.test(text);
}

/** An address, or a network with the bits of its mask. */
export function isNetwork(text: string): boolean {
  const [address = '', bits = '', ...rest] = text.split('/');
  const isV6 = address.includes(':');
  const isAddress = isV6
    ? hostFault(`[${address}]`) === undefined
    : /^\d+(\.\d+){3}$/.test(address) && hostFault(address) === undefined;
  const isMask = !text.includes('/') || (/^\d{1,3}$/.test(bits) && Number(bits) <= (isV6 ? 128 : 32));
  return isAddress && isMask && rest.length === 0;
}

/** Whether a server bound to this host can be reached from this machine only. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}

const headerForm = /^([\w!#$%&'*+.^`|~-]+)=([!-~]*)$/;

/** @returns values by header name, decoded; undefined if a header could not be sent */
export function parseHeaders(list: string): Readonly<Record<string, string>> | undefined {
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
