/**
 * Accepts the host of an address only in canonical form. That is a domain name in lower case, an IPv4 address of four
 * decimal numbers, or the shortest form of an IPv6 address. Programs disagree on other forms (octal, for example).
 */

const label = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const octet = /^(?:0|[1-9]\d{0,2})$/;
const ipv6Group = /^(?:0|[1-9a-f][0-9a-f]{0,3})$/;
const maxNameLength = 253; // RFC 1035

/** @returns undefined if the host is in canonical form, else a text that states the fault */
export function hostFault(host: string): string | undefined {
  if (host.startsWith('[')) {
    return isShortestIpv6(host.slice(1, -1))
      ? undefined
      : 'has a host that is no IPv6 address in its shortest form (RFC 5952)';
  }
  const labels = host.split('.');
  if (/^(?:\d+|0x[0-9a-f]*)$/.test(labels.at(-1) ?? '')) {
    return labels.length === 4 && labels.every((one) => octet.test(one) && Number(one) <= 255)
      ? undefined
      : 'has a host that is a number, but no IPv4 address written as four decimal numbers';
  }
  return host.length <= maxNameLength && labels.every((one) => label.test(one))
    ? undefined
    : 'has a host that is no domain name';
}

/** RFC 5952: no leading zeros, and `::` for the first longest run of two or more zero groups. */
function isShortestIpv6(text: string): boolean {
  const [head = '', tail, ...more] = text.split('::');
  const before = groupsOf(head);
  const after = groupsOf(tail ?? '');
  const missing = 8 - before.length - after.length;
  if (more.length > 0 || missing < 0 || (tail === undefined && missing !== 0)) return false;
  const groups = [...before, ...Array.from({ length: missing }, () => '0'), ...after];
  return groups.every((group) => ipv6Group.test(group)) && shortened(groups) === text;
}

function groupsOf(text: string): readonly string[] {
  return text === '' ? [] : text.split(':');
}

function shortened(groups: readonly string[]): string {
  let start = 0;
  let length = 1; // a single group is not shortened
  for (let from = 0; from < groups.length; from += 1) {
    let to = from;
    while (groups[to] === '0') to += 1;
    if (to - from > length) [start, length] = [from, to - from];
  }
  return length === 1
    ? groups.join(':')
    : `${groups.slice(0, start).join(':')}::${groups.slice(start + length).join(':')}`;
}
