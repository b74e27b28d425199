// Checks the headers of an XML or JSON body: media type (RFC 9110, 8.3), charset UTF-8, no compression.

const token = String.raw`[!#$%&'*+.^\w|~\x60-]+`;
const quoted = String.raw`"(?:[^"\\]|\\.)*"`;
const parameter = new RegExp(String.raw`[ \t]*;[ \t]*(?:(${token})=(${token}|${quoted}))?`, 'y');
const isUtf8 = /^"?utf-8"?$/i;

/**
 * Ignores empty and unknown parameters; accepts no charset but UTF-8.
 * @param header Content-Type; null or undefined if absent
 * @param types accepted types in lower case, e.g. `application/xml`
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

/**
 * Whether a body is not compressed.
 * @param header Content-Encoding; null or undefined if absent
 */
export const isUnencoded = (header: string | null | undefined): boolean =>
  header === null || header === undefined || header.toLowerCase() === 'identity';
