// Where a message goes: looked up in the reference data at the moment of each attempt, so that a changed address counts
// at once and a withdrawn one never again (CBK-5); only a callback's was named by the source, and is judged again each
// time.
import { hasUsableAddress, receiverOf, registeredAddress } from '../../core/deliveries/receiver.ts';
import type { ClaimedAttempt } from '../../db/deliveries/deliveries.ts';
import type { ActivityDependencies } from '../dependencies.ts';

/** What says where a message goes. */
export type Addressed = Pick<ClaimedAttempt, 'kind' | 'party' | 'url'>;
type AddressDependencies = Pick<ActivityDependencies, 'reference' | 'publicUrl' | 'allowLoopbackCallbacks'>;

/**
 * The full address, and what the gate goes by: the address as registered; of a callback, whose it is and its
 * origin.
 */
export interface Address {
  readonly url: string;
  readonly receiver: string;
}

/** @returns undefined where none is registered, or one that may not be used: nothing is connected to */
export function addressOf(deps: AddressDependencies, delivery: Addressed): Address | undefined {
  const data = deps.reference();
  if (!hasUsableAddress(data, delivery, { allowLoopbackHttp: deps.allowLoopbackCallbacks })) return undefined;
  const { kind, url } = delivery;
  if (kind === 'callback') {
    const receiver = receiverOf(data, delivery);
    return url === null || receiver === undefined ? undefined : { url, receiver };
  }
  const registered = registeredAddress(data, delivery); // seam: registered-address
  if (registered === undefined) return undefined;
  const isWhole = kind === 'notification' || kind === 'book';
  return { receiver: registered, url: isWhole ? registered : join(deps, registered, kind) }; // seam: gate
}

/** Our path behind the registered one; what its operator has put into the query stays there. */
function join({ publicUrl }: AddressDependencies, registered: string, kind: AppendedKind): string {
  const url = new URL(registered);
  url.pathname = `${url.pathname.replace(/\/$/, '')}${paths[kind]}`;
  if (kind === 'instruction') url.searchParams.append('pacs002Endpoint', `${publicUrl}/iso20022/pacs002`);
  return url.href;
}

type AppendedKind = Exclude<ClaimedAttempt['kind'], 'callback' | 'notification' | 'book'>;

/**
 * What is appended to the address that an operator registered; those of fxtr.017 and camt.054 are registered whole.
 */
const paths: Readonly<Record<AppendedKind, string>> = {
  instruction: '/iso20022/pacs008',
  confirmation: '/iso20022/pacs002',
  'directory-enquiry': '/iso20022/acmt023',
  'account-enquiry': '/iso20022/acmt023',
};
