/**
 * Decides whether another party's address may be used (SEC-2). The callback address of a submission must be registered
 * by its operator. The addresses of operators, directories and FX providers must have the same form.
 */
import { parseQueueAddress } from './queue-address.ts';
import { isSecure, parseWebAddress, type WebAddress, type WebAddressPolicy } from './web-address.ts';

const originForm =
  /^(https?):\/\/([a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:]+\])(?::([1-9]\d{0,4}|\*))?(\/[A-Za-z0-9\-._~!$&'()*+,=:@/]*)?$/;

const notHttps = 'is not https';

export interface CallbackPolicy extends WebAddressPolicy {
  /** Registered callback origins: scheme, host, port (`*` for any), path prefix. */
  readonly origins: readonly string[];
}

const notRegistered =
  'is not under a callback origin registered by the operator of the submitting clearing system; the operators of the scheme register one';

/** The registered origin that covers an address; the longest one if several do. */
export function originOf(address: string, origins: readonly string[]): string | undefined {
  const parsed = parseWebAddress(address);
  if (!parsed.ok) return undefined;
  const covering = origins.filter((origin) => covers(origin, parsed.value));
  return covering.sort((one, other) => other.length - one.length)[0];
}

/** @returns undefined if the address may be used, else the reason for its sender */
export function refuseCallbackAddress(address: string, policy: CallbackPolicy): string | undefined {
  const parsed = parseWebAddress(address);
  if (!parsed.ok) return parsed.refusal;
  if (!isSecure(parsed.value, policy)) return notHttps;
  const isRegistered = policy.origins.some((origin) => covers(origin, parsed.value));
  return isRegistered ? undefined : notRegistered;
}

/**
 * Judges addresses that are themselves registered, not matched with a registered origin: those of operators,
 * directories and FX providers.
 * @returns undefined if the text of the address allows a connection, else the reason in words for an operator
 */
export function refuseEndpoint(address: string, policy: WebAddressPolicy): string | undefined {
  const parsed = parseWebAddress(address);
  if (!parsed.ok) return parsed.refusal;
  return isSecure(parsed.value, policy) ? undefined : notHttps;
}

/** Like `refuseEndpoint`, for the notification address of an FX provider, which may be a queue. */
export function refuseNotificationAddress(address: string, policy: WebAddressPolicy): string | undefined {
  const queue = parseQueueAddress(address);
  if (queue === undefined) return refuseEndpoint(address, policy);
  if (!queue.ok) return queue.refusal;
  return isSecure(queue.value.at, policy) ? undefined : 'is not amqps';
}

/** Judges an origin that an operator wants to register: scheme, host, port (`*` for any), path prefix. */
export function refuseOrigin(origin: string, policy: WebAddressPolicy): string | undefined {
  const [, scheme, host, port, prefix = '/'] = originForm.exec(origin) ?? [];
  if (scheme === undefined)
    return 'must be scheme://host[:port][/path], in lower case; * as the port stands for any';
  return refuseEndpoint(
    `${scheme}://${host}${port === undefined || port === '*' ? '' : `:${port}`}${prefix}`,
    policy,
  );
}

/** Literal comparison: an address must be written as it was registered. */
function covers(origin: string, address: WebAddress): boolean {
  const match = originForm.exec(origin);
  if (match === null) return false;
  const [, scheme, host, port, prefix = '/'] = match;
  if (scheme !== address.scheme || host !== address.host) return false;
  if (port !== '*' && port !== address.port) return false;
  return prefix.endsWith('/')
    ? address.path.startsWith(prefix)
    : address.path === prefix || address.path.startsWith(`${prefix}/`);
}
