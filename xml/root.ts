/**
 * Which message a body claims to be, by its root element: asked of the tree of a parsed body, and, where a body may not be
 * parsed for what else is wrong with it, of its text, so that a sender is told of both at once (MSG-13).
 */
import { expectedNamespaces, isoIdentifier, messages, type MessageName } from '../core/iso20022/messages.ts';
import type { IntakeFault } from './engine.ts';

interface Root {
  /** Without prefix. */
  readonly name: string;
  readonly namespace: string;
}

const headLimit = 4 * 1024; // bytes in which a root element is looked for; its start tag is within the first hundred
const skipped = /<!--[^]*?-->|<\?[^]*?\?>|<!\[CDATA\[[^]*?\]\]>/g;
// no character can be taken in two ways: a body without an end is given up after one pass
const startTagPattern = /^[ \t\r\n]*<([^ \t\r\n!?/<>=&"']+)(?=[ \t\r\n/>])((?:[^<>"']|"[^"]*"|'[^']*')*)>/;
const attributePattern = /[ \t\r\n]([^ \t\r\n=]+)[ \t\r\n]*=[ \t\r\n]*(?:"([^"]*)"|'([^']*)')/gy;

/** The root element, as far as the text of a body shows it; undefined where it does not, or where a DOCTYPE may say more. */
export function peekRoot(text: Buffer): Root | undefined {
  const head = text.toString('latin1', 0, headLimit).replaceAll(skipped, '');
  const [, qualifiedName, attributes = ''] = startTagPattern.exec(head) ?? [];
  if (qualifiedName === undefined) return undefined;
  const colon = qualifiedName.indexOf(':');
  const declaration = colon < 0 ? 'xmlns' : `xmlns:${qualifiedName.slice(0, colon)}`;
  for (const [, name, double, single] of attributes.matchAll(attributePattern)) {
    if (name === declaration)
      return { name: qualifiedName.slice(colon + 1), namespace: double ?? single ?? '' };
  }
  return { name: qualifiedName.slice(colon + 1), namespace: '' };
}

/** Names of what others wrap messages in, business application headers first. */
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

/** The message within a wrapping, by the namespaces that are declared in it, as published; undefined where there is none. */
function innerMessage(text: Buffer, outer: string): string | undefined {
  for (const [, namespace = ''] of text.toString('latin1').matchAll(declarationPattern)) {
    const identifier = namespace === outer ? undefined : isoIdentifier(namespace);
    if (identifier !== undefined && !identifier.startsWith('head.')) return identifier;
  }
  return undefined;
}

/** What is against the root element of a body; undefined when it is of one of the expected messages. */
export function rootFault(
  { name, namespace }: Root,
  text: Buffer,
  expected: readonly MessageName[],
): IntakeFault | undefined {
  if (expected.some((one) => messages[one].namespace === namespace)) return undefined;
  const own = isoIdentifier(namespace);
  const inner = innerMessage(text, namespace);
  const isWrapped = inner !== undefined || wrappers.has(name) || own?.startsWith('head.') === true;
  const given = isWrapped ? inner : own;
  const isRight = given !== undefined && expected.some((one) => messages[one].identifier === given);
  const wanted = expectedNamespaces(given ?? '', expected).join(' or ');
  const told = `the root element must be of namespace ${wanted}${given === undefined || isRight ? '' : `, not of ${given}`}`;
  if (!isWrapped) return { code: 'namespace', detail: told };
  const alone =
    'the message is wrapped: send its Document alone, as the root element, without business application header or envelope (MSG-12)';
  return { code: 'wrapped', ruleId: 'MSG-12', detail: isRight ? alone : `${alone}; ${told}` };
}
