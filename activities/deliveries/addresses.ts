// Finds the address of a message in the reference data at each attempt. So a changed address takes effect at
// once, and a withdrawn one is never used again (CBK-5). The source itself named the address of a callback,
// so each attempt checks that address again.
import { hasUsableAddress, receiverOf, registeredAddress } from '../../core/deliveries/receiver.ts';
import type { ClaimedAttempt } from '../../db/deliveries/deliveries.ts';
import type { ActivityDependencies } from '../dependencies.ts';

export type Addressed = Pick<ClaimedAttempt, 'kind' | 'party' | 'url'>;
type AddressDependencies = Pick<ActivityDependencies, 'reference' | 'publicUrl' | 'allowLoopbackCallbacks'>;

/** The full address, and the name of the receiver at the gate (core/deliveries/receiver.ts). */
export interface Address {
  readonly url: string;
  readonly receiver: string;
}

/** @returns undefined if no address is registered or the address is not allowed; then nothing is sent */
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

/** Appends the path of the message kind to the registered address. The operator's query parameters stay. */
function join({ publicUrl }: AddressDependencies, registered: string, kind: AppendedKind): string {
  const url = new URL(registered);
  url.pathname = `${url.pathname.replace(/\/$/, '')}${paths[kind]}`;
  if (kind === 'instruction') url.searchParams.append('pacs002Endpoint', `${publicUrl}/iso20022/pacs002`);
  return url.href;
}

type AppendedKind = Exclude<ClaimedAttempt['kind'], 'callback' | 'notification' | 'book'>;

/** The paths appended to an operator's registered address. */
const paths: Readonly<Record<AppendedKind, string>> = {
  instruction: '/iso20022/pacs008',
  confirmation: '/iso20022/pacs002',
  'directory-enquiry': '/iso20022/acmt023',
  'account-enquiry': '/iso20022/acmt023',
};
