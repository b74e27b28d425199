/**
 * The forms of settings that are addresses. A malformed address stops the start. Otherwise the process would
 * fail later, or trust a wrong address.
 */
import { isSecure, parseWebAddress, type WebAddressPolicy } from '../deliveries/web-address.ts';

/** Accepts an http or https address without a query. */
export function isWebAddress(text: string): boolean {
  const parsed = parseWebAddress(text);
  return parsed.ok && parsed.value.query === '';
}

/** An address at which others reach the gateway: https, or http on loopback, without a query. */
export const isOwnAddress = (text: string): boolean =>
  isWebAddress(text) && isSecureAddress(text, { allowLoopbackHttp: true });

/** Accepts an https address, or an http address on loopback if the policy allows that. */
export function isSecureAddress(text: string, policy: WebAddressPolicy): boolean {
  const parsed = parseWebAddress(text);
  return parsed.ok && isSecure(parsed.value, policy);
}

/** Accepts an origin as a browser sends it, with nothing after host and port. */
export const isBrowserOrigin = (text: string): boolean =>
  /^https?:\/\/[^/?]+$/.test(text) && isSecureAddress(text, { allowLoopbackHttp: true });

const databaseForm = /^postgres(?:ql)?:\/\/[^\s/?#]*\/[\w$.~%+-]+(?:\?(?<query>[^\s?#]*))?$/i;
const tlsModes = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify'];

/**
 * postgres://user:password@host:port/database. A parameter like `sslmode` that would have no effect is
 * refused, because its author relies on it.
 */
export function isDatabaseUrl(text: string): boolean {
  const found = databaseForm.exec(text);
  const parameters = (found?.groups?.['query'] ?? '').split('&');
  const modes = parameters.filter((one) => /^ssl_?mode(=|$)/i.test(one));
  const isClear =
    modes.length <= 1 && modes.every((one) => tlsModes.some((mode) => one === `sslmode=${mode}`));
  return found !== null && isClear && isDecodable(text);
}

function isDecodable(text: string): boolean {
  try {
    return decodeURIComponent(text) !== '';
  } catch {
    return false;
  }
}

/** Accepts host:port, with an IPv6 address in brackets. */
export function isHostAndPort(text: string): boolean {
  const [, port = ''] = /^(?:[\w.-]+|\[[0-9a-f:.]+\]):(\d+)$/i.exec(text) ?? [];
  return isPort(port);
}

/** Accepts a port from 1 to 65535, without leading zeros. */
export function isPort(text: string): boolean {
  return /^[1-9]\d{0,4}$/.test(text) && Number(text) <= 65_535;
}

/** Accepts a name or an address, without a port. */
export const isHost = (text: string): boolean =>
  /^(?:[\w.-]+|[0-9a-f.]*:[0-9a-f.]*:[0-9a-f.:]*)$/i.test(text);

/** Accepts visible characters without spaces. */
export function isWord(text: string): boolean {
  return !/[\s\p{C}]/u.test(text);
}

/** Accepts PEM (RFC 7468), with any line breaks, and with explanatory text before and between the parts. */
export function isPem(text: string): boolean {
  return /^-----BEGIN ([A-Z0-9 ]+)-----\r?\n[^]*^-----END \1-----\s*$/m.test(text);
}

/**
 * Accepts an address, or a network with the bits of its mask. `trusting` in api/http/client.ts checks the
 * numbers at the start.
 */
export const isNetwork = (text: string): boolean => /^[0-9a-f.:]+(?:\/\d{1,3})?$/i.test(text);

/** Whether a server bound to this host can be reached from this machine only. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}

/** @returns values by header name, decoded; undefined if a header has a form that HTTP cannot send */
export function parseHeaders(list: string): Readonly<Record<string, string>> | undefined {
  const headers: Record<string, string> = {};
  try {
    for (const item of list.split(',').filter((one) => one.trim() !== '')) {
      const [, name, encoded = ''] = /^([\w!#$%&'*+.^`|~-]+)=([!-~]*)$/.exec(item.trim()) ?? [];
      const value = decodeURIComponent(encoded);
      if (name === undefined || !/^[ -~]*$/.test(value)) return undefined;
      headers[name] = value;
    }
  } catch {
    return undefined; // a percent sign is malformed
  }
  return headers;
}
