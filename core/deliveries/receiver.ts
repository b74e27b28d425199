/**
 * Who gets a message, by the reference data: the address that is registered for its kind, and the name of the gate
 * before it (CBK-3). Whether the address may be used is judged each time that something is sent.
 */
import {
  originOf,
  refuseCallbackAddress,
  refuseEndpoint,
  refuseNotificationAddress,
} from './callback-address.ts';
import { institutionNamed, type Operator, type ReferenceData } from '../scheme/reference.ts';
import { parseWebAddress, type WebAddressPolicy } from './web-address.ts';

/** What says where a message goes. */
export interface Addressed {
  readonly kind: string;
  /** Payment system, or id of an FX provider or owner of a book. */
  readonly party: string;
  /** Named by the source; of a callback only. */
  readonly url: string | null;
}

/** Sends at once to one receiver, per process. */
export const mostSendsAtOnce = 16;

/** Whoever operates that payment system. */
export function operatorOf(data: ReferenceData, clearingSystemId: string): Operator | undefined {
  const system = data.clearingSystems.get(clearingSystemId);
  return system && data.operators.get(system.operatorId);
}

/** Of everything but callbacks. */
export function registeredAddress(
  data: ReferenceData,
  { kind, party }: Pick<Addressed, 'kind' | 'party'>,
): string | undefined {
  if (kind === 'notification') return institutionNamed(data, party)?.notificationUrl ?? undefined;
  if (kind === 'book') return data.bookEndpoints.get(institutionNamed(data, party)?.institutionId ?? party);
  return operatorOf(data, party)?.endpointUrl;
}

/**
 * Whether it can go anywhere at this moment: an address is registered, and may be used as far as its text shows.
 */
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
 * The gate of a callback: the origin as registered, which may leave the port open, so that one party cannot open a gate
 * for each port. Two operators behind one host are two receivers. Undefined where it is no address.
 */
function callbackReceiver(data: ReferenceData, party: string, url: string): string | undefined {
  const parsed = parseWebAddress(url);
  if (!parsed.ok) return undefined;
  return `${party} ${parsed.value.host} ${originOf(url, operatorOf(data, party)?.callbackOrigins ?? []) ?? ''}`;
}

/** The name of the gate; undefined where no address is registered. */
export function receiverOf(data: ReferenceData, delivery: Addressed): string | undefined {
  const { kind, party, url } = delivery;
  if (kind !== 'callback') return registeredAddress(data, delivery);
  return url === null ? undefined : callbackReceiver(data, party, url);
}
