// The example messages of the OpenAPI document: one payment and one resolution from end to end, from schemas/examples.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Descriptions of the examples, by file name. */
export const messageExamples = {
  pacs008: 'A payment of 1,000 SGD to Thailand, as the source operator submits it',
  'pacs002-actc': 'Accepted, not yet final',
  'pacs002-rjct': 'Rejected by the gateway, with rule and place',
  'pacs002-accc': 'Credited: the final status',
  'pacs008-forwarded': 'The same payment, converted for the destination',
  'pacs002-report-accc': 'The destination has credited it',
  'pacs002-report-rjct': 'The destination rejects it',
  'pacs002-report-acwp': 'An interim status: accepted, not yet credited',
  'pacs002-confirmation-accc': 'Confirmation that the payment is credited',
  'pacs002-confirmation-rjct':
    'Negative confirmation: the deadline was missed, what was credited is given back',
  pacs028: 'An enquiry about the payment',
  fxtr017: 'The trade, without any person in it',
  camt054: 'The book of the source’s payment system on that day',
  acmt023: 'Who has this mobile number?',
  'acmt024-true': 'The account was found',
  'acmt024-false': 'Nobody answered before the deadline',
  'acmt023-forwarded': 'The same request for the proxy directory',
  'acmt024-directory': "The proxy directory's answer",
} as const;
export type MessageExample = keyof typeof messageExamples;

const folder = fileURLToPath(new URL('../schemas/examples/', import.meta.url));

/** Returns the XML text of an example. */
export function readExample(name: MessageExample): string {
  return readFileSync(`${folder}${name}.xml`, 'utf8');
}
