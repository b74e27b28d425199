// Whether the head of a request or an answer announces a body that we read: its media type (RFC 9110, 8.3) in UTF-8, and
// not compressed. Used for XML and JSON bodies of the api.

const token = String.raw`[!#$%&'*+.^\w|~\x60-]+`;
const quoted = String.raw`"(?:[^"\\]|\\.)*"`;
const parameter = new RegExp(String.raw`[ \t]*;[ \t]*(?:(${token})=(${token}|${quoted}))?`, 'y');
const isUtf8 = /^"?utf-8"?$/i;

/**
 * Empty and unknown parameters are ignored; a charset other than UTF-8 is not accepted.
 * @param header Content-Type; null or undefined: there is none
 * @param types in lower case, as in `application/xml`
 */
export function isMediaType(header: string | null | undefined, types: readonly string[]): boolean {
  const [type = ''] = /^[^;]*/.exec(header ?? '') ?? [];
  if (!types.includes(type.trim().toLowerCase())) return false;
  const parameters = (header ?? '').slice(type.trimEnd().length).trimEnd();
  parameter.lastIndex = 0;
  while (parameter.lastIndex < parameters.length) {
    const [whole, name, value = ''] = parameter.exec(parameters) ?? [];
    if (whole === undefined || (name?.toLowerCase() === 'charset' && !isUtf8.test(value))) return false;
  }
  return true;
}

/** @param header Content-Encoding; null or undefined: there is none */
export const isUnencoded = (header: string | null | undefined): boolean =>
  header === null || header === undefined || header.toLowerCase() === 'identity';
