/**
 * Simulates the destination operators. They receive the converted pacs.008. The creditor's account selects
 * whether they credit it and how they answer (behaviours.ts). They also receive the gateway's confirmations
 * and resolution requests. Each operator has its own ledger.
 */
import { behaviourOf } from './behaviours.ts';
import { readForwardedPacs008 } from './forwarded-pacs008.ts';
import { problem, type PartyAnswer, type PartyRequest } from './http.ts';
import { sha256Of, type NewEntry } from './journal.ts';
import { judgeConfirmation, type Ledger, type LedgerRow } from './ledger.ts';
import { pacs002Values, type TakenMessage } from './messages.ts';
import type { Pacs002 } from '../core/iso20022/pacs002.ts';
import type { SandboxClearingSystem } from './options.ts';
import { received, refuse, takeBook, unknownPath, type PartyTools } from './party.ts';
import type { Performance } from './performance.ts';
import type { ResolutionParty } from './resolution-party.ts';

export interface DestinationOperator {
  /** Name of the operator in the journal, such as `destination/IPSO-TH`. */
  readonly party: string;
  readonly systems: ReadonlyMap<string, SandboxClearingSystem>;
  readonly ledger: Ledger;
  readonly performance: Performance;
  /** The proxy directory and the creditor agents behind this operator. */
  readonly resolution: ResolutionParty;
}

/** @returns the request handler of all destination operators */
export function destinationOperators(
  operators: ReadonlyMap<string, DestinationOperator>,
  tools: PartyTools,
): (request: PartyRequest) => Promise<PartyAnswer> {
  return async (request) => {
    const [operatorId = '', folder, message, ...rest] = request.path;
    const operator = operators.get(operatorId);
    if (operator === undefined || folder !== 'iso20022' || rest.length > 0) return unknownPath();
    if (message === 'pacs008') return takePacs008(operator, request, tools);
    if (message === 'pacs002') return takePacs002(operator, request, tools);
    if (message === 'acmt023') return operator.resolution.takeAcmt023(request);
    if (message === 'camt054') return takeBook(operator.party, request, tools);
    return unknownPath();
  };
}

/**
 * Reads the address for reports from the query. Returns undefined unless there is exactly one http or https
 * address without user name and password.
 */
function endpointOf(query: URLSearchParams): string | undefined {
  const [text = '', ...more] = query.getAll('pacs002Endpoint');
  if (more.length > 0 || !URL.canParse(text)) return undefined;
  const { protocol, username, password } = new URL(text);
  return ['http:', 'https:'].includes(protocol) && username === '' && password === '' ? text : undefined;
}

async function takePacs008(
  operator: DestinationOperator,
  request: PartyRequest,
  { journal, reader }: PartyTools,
): Promise<PartyAnswer> {
  const { ledger, systems, performance } = operator;
  const entry = received(operator.party, 'pacs008', request);
  const pacs002Endpoint = endpointOf(request.query);
  if (pacs002Endpoint === undefined) {
    return refuse(journal, entry, {
      httpStatus: 400,
      detail: 'PAY-8: pacs002Endpoint must be one http address',
    });
  }
  const reading = await reader.read(request.body, 'pacs008', (document) =>
    readForwardedPacs008(document, systems),
  );
  if (!reading.ok) return refuse(journal, entry, reading.refusal);
  const { messageIdentification: messageId, uetr = '', values } = reading.value;
  const sha256 = sha256Of(request.body);
  const known = ledger.row(uetr);
  if (known !== undefined && known.sha256 !== sha256) {
    const fault = { httpStatus: 409, detail: 'I-2: the same UETR with other bytes' };
    return refuse(journal, { ...entry, uetr, messageId }, fault);
  }
  const row: LedgerRow = known ?? {
    uetr,
    sha256,
    pacs008: values,
    behaviour: behaviourOf(values.creditorAccount),
    pacs002Endpoint,
    refused: 0,
    begun: false,
    movement: 'none',
    interim: undefined,
    report: undefined,
  };
  row.pacs002Endpoint = pacs002Endpoint;
  if (known === undefined) ledger.open(row);
  return performance.answerInstruction(row, { ...entry, uetr, messageId });
}

async function takePacs002(
  operator: DestinationOperator,
  request: PartyRequest,
  { journal, reader }: PartyTools,
): Promise<PartyAnswer> {
  const entry = received(operator.party, 'pacs002', request);
  const reading = await reader.read(request.body, 'pacs002', pacs002Values);
  if (!reading.ok) return refuse(journal, entry, reading.refusal);
  const { httpStatus, detail } = takeConfirmation(operator, reading.value, entry, { journal });
  return httpStatus === 200 ? { status: 200 } : problem(httpStatus, detail);
}

/**
 * Journals a pacs.002 in which the gateway confirms or rejects a payment, and reverses the credit if
 * required.
 * @param entry the journal entry of the pacs.002, without its contents
 */
export function takeConfirmation(
  operator: Pick<DestinationOperator, 'ledger' | 'performance'>,
  confirmation: TakenMessage<Pacs002>,
  entry: NewEntry,
  { journal }: Pick<PartyTools, 'journal'>,
): { readonly httpStatus: 200 | 404 | 409; readonly detail: string } {
  const { ledger, performance } = operator;
  const { messageIdentification: messageId, uetr = '', values: stated } = confirmation;
  const { status, reasonCode } = stated;
  const seen: NewEntry = {
    ...entry,
    uetr,
    messageId,
    status,
    ...(reasonCode === undefined ? {} : { reasonCode }),
  };
  const row = ledger.row(uetr);
  if (row === undefined) {
    if (status === 'RJCT') {
      ledger.cancel(uetr);
      journal.record({ ...seen, httpStatus: 200, note: 'before any instruction: it will not be credited' });
      return { httpStatus: 200, detail: '' };
    }
    const violation = 'PAY-9: confirms a payment that never came here';
    journal.record({ ...seen, httpStatus: 404, violation });
    return { httpStatus: 404, detail: violation };
  }
  const { mismatch, reverses, violation } = judgeConfirmation(row, stated);
  const httpStatus = mismatch ? 409 : 200;
  journal.record({ ...seen, httpStatus, ...(violation === undefined ? {} : { violation }) });
  if (reverses) performance.reverse(row);
  return { httpStatus, detail: violation ?? '' };
}
