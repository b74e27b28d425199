/**
 * Simulates the FX providers. `POST /{fxpBic}/iso20022/fxtr017` receives the notification of a completed
 * payment, and `.../camt054` a daily book of an account. The FX providers journal both. They keep no
 * balances, because tests compare the notifications with the journals of the other parties.
 */
import { readFxtr017 } from '../core/iso20022/fxtr017.ts';
import { canonicalId, isBic } from '../core/ids.ts';
import type { PartyAnswer, PartyRequest } from './http.ts';
import { sha256Of } from './journal.ts';
import { explained } from './messages.ts';
import { received, refuse, takeBook, unknownPath, type PartyTools } from './party.ts';

const fxtr017Values = explained(readFxtr017);

/** @returns the request handler of all FX providers */
export function fxProviders(tools: PartyTools): (request: PartyRequest) => Promise<PartyAnswer> {
  const { journal, reader } = tools;
  /** The SHA-256 of the first notification, by UETR. */
  const told = new Map<string, string>();

  return async (request) => {
    const [bic = '', folder, message, ...rest] = request.path;
    if (!isBic(bic) || folder !== 'iso20022' || rest.length > 0) return unknownPath();
    if (message === 'camt054') return takeBook(`fxp/${bic}`, request, tools);
    if (message !== 'fxtr017') return unknownPath();
    const entry = received(`fxp/${bic}`, 'fxtr017', request);
    const reading = await reader.read(request.body, 'fxtr017', fxtr017Values);
    if (!reading.ok) return refuse(journal, entry, reading.refusal);
    const { messageIdentification: messageId, values } = reading.value;
    const { uetr, fxp } = values;
    const addressee = fxp.bicfi;
    if (addressee !== undefined && canonicalId('BICFI', addressee) !== canonicalId('BICFI', bic)) {
      const fault = { httpStatus: 422, detail: 'NOT-2: the notification names another FX provider' };
      return refuse(journal, { ...entry, uetr, messageId }, fault);
    }
    const sha256 = sha256Of(request.body);
    const first = told.get(uetr) ?? sha256;
    told.set(uetr, first);
    journal.record({
      ...entry,
      uetr,
      messageId,
      httpStatus: 200,
      amount: values.tradingSideBuyAmount.amount,
      currency: values.tradingSideBuyAmount.currency,
      ...(first === sha256 ? {} : { violation: 'NOT-1: a second, different notification of one payment' }),
    });
    return { status: 200 };
  };
}
