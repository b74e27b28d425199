/**
 * The messages of the gateway (MSG-1): exact versions, namespaces and schemas. All names that depend on a
 * version are in this file.
 */

function message<Name extends string>(name: Name, identifier: string, messageElement: string) {
  return {
    name,
    /** The name that ISO publishes, e.g. `pacs.008.001.13`. */
    identifier,
    namespace: `urn:iso:std:iso:20022:tech:xsd:${identifier}`,
    /** The only child of `Document`. */
    messageElement,
    /** File in `schemas/`. */
    schemaFile: `${identifier}.xsd`,
  };
}

export const messages = {
  pacs008: message('pacs008', 'pacs.008.001.13', 'FIToFICstmrCdtTrf'),
  pacs002: message('pacs002', 'pacs.002.001.15', 'FIToFIPmtStsRpt'),
  acmt023: message('acmt023', 'acmt.023.001.04', 'IdVrfctnReq'),
  acmt024: message('acmt024', 'acmt.024.001.04', 'IdVrfctnRpt'),
  fxtr017: message('fxtr017', 'fxtr.017.001.06', 'FXTradStsAndDtlsNtfctn'),
  camt054: message('camt054', 'camt.054.001.11', 'BkToCstmrDbtCdtNtfctn'),
  pacs028: message('pacs028', 'pacs.028.001.06', 'FIToFIPmtStsReq'),
} as const;

export type MessageName = keyof typeof messages;
export type MessageType = (typeof messages)[MessageName];

const byNamespace: ReadonlyMap<string, MessageType> = new Map(
  Object.values(messages).map((one) => [one.namespace, one]),
);

/** The message of a namespace, if the gateway handles it in this version. */
export function messageOfNamespace(namespace: string): MessageType | undefined {
  return byNamespace.get(namespace);
}

/** The ISO name in an ISO 20022 namespace, e.g. `pacs.008.001.08`; undefined for any other namespace. */
export function isoIdentifier(namespace: string): string | undefined {
  return /^urn:iso:std:iso:20022:tech:xsd:([a-z]{4}\.[0-9]{3}\.[0-9]{3}\.[0-9]{2})$/.exec(namespace)?.[1];
}

/**
 * The namespaces that a message in an unsupported version should have had. They are those of the same kind
 * (`pacs.008`), or all of `expected` if none is of that kind.
 * @param identifier ISO name, e.g. `pacs.008.001.08`
 */
export function expectedNamespaces(identifier: string, expected: readonly MessageName[]): readonly string[] {
  const kind = identifier.slice(0, 'pacs.008.'.length);
  const same = expected.filter((name) => kind !== '' && messages[name].identifier.startsWith(kind));
  return (same.length > 0 ? same : expected).map((name) => messages[name].namespace);
}
