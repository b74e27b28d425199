// Operators pause a destination or an FX provider while payments are under way, and resume it (LIF-5). A
// pause is not a fault: it must affect only new payments and quotes.
import { request } from 'undici';
import { clientCredentials } from '../../sandbox/tokens.ts';
import type { ChaosSystem } from '../system/system.ts';
import { heal, type Fault, type Stage } from './fault.ts';

const operator = 'operator'; // client id of the role operator
const requestMs = 10_000;

/**
 * Sends the request to each api in turn, until one of them succeeds.
 * @throws the last error if none succeeds
 */
async function act(system: ChaosSystem, party: string, does: 'pause' | 'resumption'): Promise<void> {
  let refusal: unknown;
  for (const { url } of system.apis) {
    try {
      const token = await clientCredentials({ tokenUrl: `${url}/oauth/token` }).tokenFor(operator);
      const { statusCode, body } = await request(`${url}/parties/${party}/${does}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ because: `chaos: ${does}` }),
        headersTimeout: requestMs,
        bodyTimeout: requestMs,
      });
      const text = await body.text();
      // HTTP 409 means that an earlier request succeeded, but its answer was lost.
      if (statusCode === 200 || statusCode === 409) return;
      refusal = new Error(`${does} of ${party}: HTTP ${statusCode} ${text}`);
    } catch (error) {
      refusal = error;
    }
  }
  throw refusal;
}

async function pauseForAWhile({ system, target, wait, durationMs }: Stage): Promise<void> {
  const parties = target.split(',');
  const each = (does: 'pause' | 'resumption') => async () => {
    for (const party of parties) await act(system, party, does);
  };
  await heal(each('pause'));
  await wait(durationMs);
  await heal(each('resumption'));
}

export const operatorActs: readonly Fault[] = [
  {
    name: 'destination-is-paused',
    tells:
      'Operators pause a destination, or all of them: new payments to it are refused, those under way go on.',
    seconds: [8, 25],
    groups: ['pauses'],
    targets: ({ clearingSystems }) => [...clearingSystems, clearingSystems.join(',')],
    play: pauseForAWhile,
  },
  {
    name: 'fxp-is-paused',
    tells:
      'Operators pause an FX provider, or all of them: no more quotes of it, those that were made stand.',
    seconds: [8, 25],
    groups: ['pauses'],
    targets: ({ parties }) => {
      const fxps = parties.filter((one) => one.startsWith('fxp/')).map((one) => one.replace('fxp/', ''));
      return [...fxps, fxps.join(',')];
    },
    play: pauseForAWhile,
  },
];
