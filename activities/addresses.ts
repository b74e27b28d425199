// Where a message goes: looked up in the reference data at the moment of each attempt, so that a changed address counts
// at once and a withdrawn one never again (CBK-5); only a callback's was named by the source, and is judged again each
// time (SEC-2).
import {
  refuseCallbackAddress,
  refuseEndpoint,
  refuseNotificationAddress,
} from '../core/callback-address.ts';
import { operatorOf, receiverOf, registeredAddress } from '../core/receiver.ts';
import type { ReferenceData } from '../core/reference.ts';
import type { ClaimedAttempt } from '../db/deliveries.ts';
import type { ActivityDependencies } from './dependencies.ts';

/** What says where a message goes. */
export type Addressed = Pick<ClaimedAttempt, 'kind' | 'party' | 'url'>;
type AddressDependencies = Pick<ActivityDependencies, 'reference' | 'publicUrl' | 'allowLoopbackCallbacks'>;

/**
 * The full address, and what the gate goes by (CBK-3): the address as registered; of a callback, whose it is and its
 * origin.
 */
export interface Address {
  readonly url: string;
  readonly receiver: string;
}

/** @returns undefined where none is registered, or one that may not be used: nothing is connected to */
export function addressOf(deps: AddressDependencies, delivery: Addressed): Address | undefined {
  const data = deps.reference();
  const policy = { allowLoopbackHttp: deps.allowLoopbackCallbacks };
  if (delivery.kind === 'callback') return callbackAddress(data, delivery, policy.allowLoopbackHttp);
  const { kind } = delivery;
  const registered = registeredAddress(data, delivery);
  const refuse = kind === 'notification' ? refuseNotificationAddress : refuseEndpoint;
  if (registered === undefined || refuse(registered, policy) !== undefined) return undefined;
  const isWhole = kind === 'notification' || kind === 'book';
  return { receiver: registered, url: isWhole ? registered : join(deps, registered, kind) };
}

/** Our path behind the registered one; what its operator has put into the query stays there. */
function join({ publicUrl }: AddressDependencies, registered: string, kind: AppendedKind): string {
  const url = new URL(registered);
  url.pathname = `${url.pathname.replace(/\/$/, '')}${paths[kind]}`;
  if (kind === 'instruction') url.searchParams.append('pacs002Endpoint', `${publicUrl}/iso20022/pacs002`);
  return url.href;
}

type AppendedKind = Exclude<ClaimedAttempt['kind'], 'callback' | 'notification' | 'book'>;

/** What is appended to the address that an operator registered; those of fxtr.017 and camt.054 are registered whole (NOT-1, REC-2). */
const paths: Readonly<Record<AppendedKind, string>> = {
  instruction: '/iso20022/pacs008',
  confirmation: '/iso20022/pacs002',
  'directory-enquiry': '/iso20022/acmt023',
  'account-enquiry': '/iso20022/acmt023',
};

function callbackAddress(
  data: ReferenceData,
  { party, url }: Addressed,
  allowLoopbackHttp: boolean,
): Address | undefined {
  const receiver = receiverOf(data, { kind: 'callback', party, url });
  const origins = operatorOf(data, party)?.callbackOrigins ?? [];
  if (url === null || receiver === undefined) return undefined;
  return refuseCallbackAddress(url, { origins, allowLoopbackHttp }) === undefined
    ? { url, receiver }
    : undefined;
}
