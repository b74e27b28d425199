/**
 * Identifies a message by its root element. If the message is wrapped, identifies it by the namespace
 * declarations in the body.
 */
import { expectedNamespaces, isoIdentifier, messages, type MessageName } from '../core/iso20022/messages.ts';
import type { IntakeFault } from './engine.ts';

interface Root {
  /** The local name, without prefix. */
  readonly name: string;
  readonly namespace: string;
}

/** Names of common wrapper elements. The business application headers come first. */
const wrappers: ReadonlySet<string> = new Set([
  ...[
    'AppHdr',
    'BizMsg',
    'BizMsgEnvlp',
    'BusMsg',
    'Envelope',
    'Body',
    'RequestPayload',
    'DataPDU',
    'Message',
  ],
  ...['Saa', 'MsgEnvlp', 'FedNowIncoming', 'FedNowOutgoing', 'FPEnvelope', 'XChg'],
]);
const declarationPattern =
  /xmlns(?::[^ \t\r\n="'<>:]{1,100})?[ \t\r\n]{0,9}=[ \t\r\n]{0,9}["'](urn:iso:std:iso:20022:tech:xsd:[a-z0-9.]{15})["']/g;

/**
 * The ISO name of the message inside a wrapper, found by the namespaces in the body; undefined if there is
 * none.
 */
function innerMessage(text: Buffer, outer: string): string | undefined {
  for (const [, namespace = ''] of text.toString('latin1').matchAll(declarationPattern)) {
    const identifier = namespace === outer ? undefined : isoIdentifier(namespace);
    if (identifier !== undefined && !identifier.startsWith('head.')) return identifier;
  }
  return undefined;
}

const documentTags = /<(?:[^ \t\r\n<>:/]{1,100}:)?Document(?=[ \t\r\n/>])/g;

/** Whether the root is a `Document` without namespace that contains no other `Document`. */
const isBareDocument = ({ name, namespace }: Root, text: Buffer) =>
  name === 'Document' && namespace === '' && [...text.toString('latin1').matchAll(documentTags)].length < 2;

/** The fault of a body's root element; undefined if the message is an expected one. */
export function rootFault(
  root: Root,
  text: Buffer,
  expected: readonly MessageName[],
): IntakeFault | undefined {
  const { name, namespace } = root;
  if (expected.some((one) => messages[one].namespace === namespace)) return undefined;
  const own = isoIdentifier(namespace);
  const inner = innerMessage(text, namespace);
  if (isBareDocument(root, text)) {
    const wanted = expectedNamespaces(inner ?? '', expected).join(' or ');
    return {
      code: 'namespace',
      detail: `the root element Document is in no namespace: it must be in ${wanted}`,
    };
  }
  const isWrapped = inner !== undefined || wrappers.has(name) || own?.startsWith('head.') === true;
  const given = isWrapped ? inner : own;
  const isRight = given !== undefined && expected.some((one) => messages[one].identifier === given);
  const wanted = expectedNamespaces(given ?? '', expected).join(' or ');
  const told = `the namespace of the root element must be ${wanted}${given === undefined || isRight ? '' : `, not of ${given}`}`;
  if (!isWrapped) return { code: 'namespace', detail: told };
  // No business application header and no envelope are allowed (MSG-12).
  const alone =
    'the message is wrapped: send its Document alone, as the root element, without a business application header or envelope (MSG-12)';
  return { code: 'wrapped', ruleId: 'MSG-12', detail: isRight ? alone : `${alone}; ${told}` };
}
