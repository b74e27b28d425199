/**
 * Finds the receiver of a message in the reference data: the address registered for its kind. It also gives
 * the name of the gate that limits sends to this address (CBK-3). Each send checks again whether the address
 * may be used.
 */
import {
  originOf,
  refuseCallbackAddress,
  refuseEndpoint,
  refuseNotificationAddress,
} from './callback-address.ts';
import { institutionNamed, type Operator, type ReferenceData } from '../scheme/reference.ts';
import { parseWebAddress, type WebAddressPolicy } from './web-address.ts';

/** The values that determine the receiver of a message. */
export interface Addressed {
  readonly kind: string;
  /** Clearing system id, or id of an FX provider or owner of a book. */
  readonly party: string;
  /** The address that the source named; null for all kinds but callbacks. */
  readonly url: string | null;
}

/** The largest number of concurrent sends to one receiver, per process. */
export const mostSendsAtOnce = 16;

/** The operator of a payment system. */
export function operatorOf(data: ReferenceData, clearingSystemId: string): Operator | undefined {
  const system = data.clearingSystems.get(clearingSystemId);
  return system && data.operators.get(system.operatorId);
}

/** The registered address for a delivery of any kind but a callback. */
export function registeredAddress(
  data: ReferenceData,
  { kind, party }: Pick<Addressed, 'kind' | 'party'>,
): string | undefined {
  if (kind === 'notification') return institutionNamed(data, party)?.notificationUrl ?? undefined;
  if (kind === 'book') return data.bookEndpoints.get(institutionNamed(data, party)?.institutionId ?? party);
  return operatorOf(data, party)?.endpointUrl;
}

/** Whether the delivery can be sent now: it has an address, and the text of the address allows its use. */
export function hasUsableAddress(
  data: ReferenceData,
  delivery: Addressed,
  policy: WebAddressPolicy,
): boolean {
  const { kind, party, url } = delivery;
  if (kind === 'callback') {
    const origins = operatorOf(data, party)?.callbackOrigins ?? [];
    return url !== null && refuseCallbackAddress(url, { ...policy, origins }) === undefined;
  }
  const registered = registeredAddress(data, delivery);
  const refuse = kind === 'notification' ? refuseNotificationAddress : refuseEndpoint;
  return registered !== undefined && refuse(registered, policy) === undefined;
}

/**
 * The gate of a callback: party, host and registered origin. The port is no part of it: an origin may leave
 * the port open, and one party could then open a gate per port. Two operators behind one host get two gates.
 * Undefined if the URL is malformed.
 */
function callbackReceiver(data: ReferenceData, party: string, url: string): string | undefined {
  const parsed = parseWebAddress(url);
  if (!parsed.ok) return undefined;
  return `${party} ${parsed.value.host} ${originOf(url, operatorOf(data, party)?.callbackOrigins ?? []) ?? ''}`;
}

/** The name of the gate for a delivery; undefined if no address is registered. */
export function receiverOf(data: ReferenceData, delivery: Addressed): string | undefined {
  const { kind, party, url } = delivery;
  if (kind !== 'callback') return registeredAddress(data, delivery);
  return url === null ? undefined : callbackReceiver(data, party, url);
}
