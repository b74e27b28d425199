// Checks the callback address of a submission before anything is stored. Each delivery attempt checks it
// again.
import { refuseCallbackAddress } from '../../../core/deliveries/callback-address.ts';
import type { ApiConfig } from '../../../core/settings/config.ts';
import type { ReferenceCache } from '../../../db/scheme/reference-cache.ts';
import { problem, type Problem } from '../problems/problem.ts';

/** Returns undefined if the source's operator has registered the origin of the address. */
export function refuseCallback(
  deps: {
    readonly reference: Pick<ReferenceCache, 'current'>;
    readonly config: Pick<ApiConfig, 'allowLoopbackCallbacks'>;
  },
  sourceSystem: string,
  callback: { readonly parameter: 'pacs002Endpoint' | 'acmt024Endpoint'; readonly address: string },
): Problem | undefined {
  const reference = deps.reference.current();
  const system = reference.clearingSystems.get(sourceSystem);
  const origins = (system && reference.operators.get(system.operatorId)?.callbackOrigins) ?? [];
  const reason = refuseCallbackAddress(callback.address, {
    origins,
    allowLoopbackHttp: deps.config.allowLoopbackCallbacks,
  });
  return reason === undefined
    ? undefined
    : problem('callback-address-refused', {
        detail: `The callback address ${reason}.`,
        errors: [{ parameter: callback.parameter, detail: reason }],
      });
}
