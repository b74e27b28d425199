// Tries the endpoints of a proposed change of the scheme before an operator approves the change, and those for which
// their party has asked. Each endpoint gets a pacs.028 about a payment that does not exist, which is harmless.
import { randomUUID } from 'node:crypto';
import { refuseEndpoint } from '../../core/deliveries/callback-address.ts';
import { enquireAboutNothing } from '../../core/iso20022/pacs028.ts';
import { claimProbes, finishProbe, type ProbeOutcome, type WantedProbe } from '../../db/scheme/probes.ts';
import { newMessageIdentification } from '../compose.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { repeat } from '../../db/pool/repeat.ts';

type Dependencies = Pick<
  ActivityDependencies,
  'db' | 'logger' | 'outbound' | 'signer' | 'allowLoopbackCallbacks'
>;

const everyMs = 500;
const atOnce = 4;

/** @returns a function that stops the probes, and resolves after the running probes */
export function probeEndpoints(deps: Dependencies): () => Promise<void> {
  return repeat(async () => {
    await probeWanted(deps).catch((error: unknown) => {
      deps.logger.warn({ err: error }, 'endpoints could not be tried; trying again');
    });
    return everyMs;
  });
}

async function probeWanted(deps: Dependencies): Promise<void> {
  const wanted = await claimProbes(deps.db, atOnce);
  await Promise.all(
    wanted.map(async (one) => {
      const { outcome, says } = await tryOne(deps, one);
      await finishProbe(deps.db, one, outcome, says);
    }),
  );
}

async function tryOne(
  { outbound, signer, allowLoopbackCallbacks: allowLoopbackHttp }: Dependencies,
  { url }: WantedProbe,
): Promise<{ readonly outcome: ProbeOutcome; readonly says: string }> {
  const refusal = refuseEndpoint(url, { allowLoopbackHttp });
  if (refusal !== undefined) return { outcome: 'failed', says: `The address ${refusal}.` };
  const messageIdentification = newMessageIdentification();
  const message = enquireAboutNothing({
    messageIdentification,
    creationDateTime: new Date().toISOString(),
    originalMessageIdentification: newMessageIdentification(),
    uetr: randomUUID(),
  });
  const body = Buffer.from(message);
  const headers = {
    'content-type': 'application/xml; charset=utf-8',
    // Sign before taking the place, because only `post` gives the place back.
    ...signer.headersOf({ id: messageIdentification, body }),
  };
  const place = outbound.enterAnyway(`probe of ${url}`);
  if (!place.admitted) return { outcome: 'failed', says: `It could not be tried: ${place.reason}.` };
  const result = await place.post(url, body, headers);
  if (result.outcome !== 'ANSWERED') {
    return { outcome: 'failed', says: `Nobody answered (${result.errorClass}).` };
  }
  const says = `It answered HTTP ${result.status}.`;
  return { outcome: result.status < 500 ? 'answered' : 'failed', says };
}
