/**
 * The only accepted form of another party's address. All programs read it alike, whether they decode once or twice,
 * strip path parameters or normalise characters. The check is purely lexical. The connection checks what the host
 * resolves to (activities/wire/outbound.ts).
 */
import { hostFault } from './host.ts';
import { ok, refused, type Result } from '../result.ts';

export interface WebAddress {
  readonly scheme: string;
  /** A name, an IPv4 address, or an IPv6 address in brackets. */
  readonly host: string;
  readonly port: string | undefined;
  /** Begins with a slash; `/` if the address has no path. */
  readonly path: string;
  /** Includes the question mark, or is empty. */
  readonly query: string;
}

export interface WebAddressPolicy {
  /** Whether plain http and amqp are allowed on loopback; for demos only. */
  readonly allowLoopbackHttp: boolean;
}

const maxLength = 2_048;
// the form has a scheme, host, port, path and query, but no userinfo and no fragment
const form =
  /^(https?|amqps?):\/\/([a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:]+\])(?::([1-9]\d{0,4}))?(\/[A-Za-z0-9\-._~!$&'()*+,;=:@%/]*)?(\?[A-Za-z0-9\-._~!$&'()*+,;=:@%/?]*)?$/;
const unreserved = /^[A-Za-z0-9\-._~]$/;
const divider = /[/\\?#%]/;

const webSchemes = ['https', 'http'];

/** @returns the parts, or the reason why the address may not be used */
export function parseWebAddress(address: string, schemes = webSchemes): Result<WebAddress, string> {
  if (address.length > maxLength) return refused(`is longer than ${maxLength} characters`);
  const match = form.exec(address);
  const [, scheme = '', host = '', port, path = '/', query = ''] = match ?? [];
  if (!schemes.includes(scheme)) {
    return refused('must be scheme://host[:port]/path, in lower case, without userinfo or fragment');
  }
  if (port !== undefined && Number(port) > 65_535) return refused('has a port above 65535');
  const fault = hostFault(host) ?? encodingFault(path + query) ?? pathFault(path);
  return fault === undefined ? ok({ scheme, host, port, path, query }) : refused(fault);
}

/** Whether the address uses TLS, or a loopback host if the policy allows that. */
export function isSecure({ scheme, host }: WebAddress, { allowLoopbackHttp }: WebAddressPolicy): boolean {
  return scheme === 'https' || scheme === 'amqps' || (allowLoopbackHttp && isLoopbackHost(host));
}

/** Checks that the text percent-encodes only characters that need it, and no invisible ones. */
function encodingFault(text: string): string | undefined {
  if (/%(?![0-9a-f]{2})/i.test(text)) return 'has a percent sign that does not begin an encoded character';
  for (const [triplet] of text.matchAll(/%[0-7][0-9a-f]/gi)) {
    const character = decodeURIComponent(triplet);
    if (character === '%') return 'is encoded twice (%25)';
    if (unreserved.test(character)) return `encodes a character that needs no encoding (${triplet})`;
  }
  const decoded = decode(text);
  if (decoded === undefined) return 'encodes bytes that are not UTF-8';
  return /[\p{C}\p{Zl}\p{Zp}]/u.test(decoded) ? 'encodes an invisible character' : undefined;
}

/** @param path must have passed `encodingFault` */
function pathFault(path: string): string | undefined {
  for (const [encoded] of path.matchAll(/(?:%[0-9a-f]{2})+/gi)) {
    if (divider.test(plain(encoded))) return `encodes a character that divides addresses (${encoded})`;
  }
  if (plain(path).includes(';')) return 'has a path parameter (;)';
  const segments = path.split('/').slice(1); // a path begins with /
  const isOdd = segments.some(
    (segment, index) => /^[. ]*$/.test(plain(segment)) && !(segment === '' && index === segments.length - 1),
  );
  return isOdd ? 'has a path with dot segments or empty segments' : undefined;
}

/**
 * Decodes and normalises (NFKC) a text, so that full-width characters, for example, compare equal to plain
 * ones.
 */
function plain(text: string): string {
  return (decode(text) ?? text).normalize('NFKC');
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

function isLoopbackHost(host: string): boolean {
  return host === 'localhost' || host === '127.0.0.1' || host === '[::1]';
}
