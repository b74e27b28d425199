// The improvements in force at any time (FX-6, FX-7). The tables keep only the last value of each. So earlier values
// are read from the posts of FX providers, and from the demo's data file.
import { readFileSync } from 'node:fs';
import type { Exchange } from './evidence.ts';
import { amount, zero, type Amount } from './decimals.ts';
import type { Evidence } from './read-evidence.ts';
import type { Reference } from './reference.ts';
import { instant } from './rows.ts';

/** A posted improvement, or its value before the run. */
interface Value {
  readonly basisPoints: Amount;
  /** The earliest time from which it may hold. */
  readonly from: number;
  /** The time from which it certainly holds; Infinity if it is unknown whether it was accepted. */
  readonly surely: number;
}

export interface Improvements {
  /** Possible basis points of an FX provider's improvement for a PSP at a moment; 0 means no improvement. */
  readonly ofPsp: (fxp: string, psp: string, at: number) => readonly Amount[];
  /** The same for a tier, by FX provider, source currency and threshold. */
  readonly ofTier: (fxp: string, currency: string, threshold: Amount, at: number) => readonly Amount[];
}

const posts = {
  psp: ['/api/v1/psp_improvements', '/improvements/psps/'],
  tier: ['/api/v1/tier_improvements', '/improvements/tiers/'],
} as const;

/** Prices of one FX provider. */
interface SeedPrices {
  readonly fxpId: string;
  readonly tierImprovements: readonly {
    readonly unitCurrency: string;
    readonly threshold: string;
    readonly improvementBasisPoints: string;
  }[];
  readonly pspImprovements: readonly { readonly pspId: string; readonly improvementBasisPoints: string }[];
}

export function openImprovements({ exchanges }: Evidence, reference: Reference): Improvements {
  const values = new Map<string, Value[]>();
  const add = (key: string, value: Value) => values.set(key, [...(values.get(key) ?? []), value]);
  const seed = JSON.parse(
    readFileSync(new URL('../../db/seed/fx-prices.json', import.meta.url), 'utf8'),
  ) as readonly SeedPrices[];
  const before = (basisPoints: string): Value => ({
    basisPoints: amount(basisPoints),
    from: -Infinity,
    surely: -Infinity,
  });
  for (const { fxpId, tierImprovements, pspImprovements } of seed) {
    for (const one of pspImprovements) add(pspKey(fxpId, one.pspId), before(one.improvementBasisPoints));
    for (const one of tierImprovements) {
      add(tierKey(fxpId, one.unitCurrency, amount(one.threshold)), before(one.improvementBasisPoints));
    }
  }
  for (const exchange of exchanges) {
    const posted = postedBy(exchange, reference);
    if (posted !== undefined) add(posted.key, posted.value);
  }
  const at = (key: string, moment: number): readonly Amount[] => {
    const possible = (values.get(key) ?? []).filter(({ from }) => from <= moment);
    const sure = possible.filter(({ surely }) => surely <= moment);
    const last = sure.reduce<Value | undefined>(
      (one, other) => (one === undefined || other.surely >= one.surely ? other : one),
      undefined,
    );
    // values that may have been written after the last certain one
    const open = possible.filter(
      ({ surely, from }) =>
        surely > moment || (last !== undefined && surely > last.from && from !== last.from),
    );
    return [last?.basisPoints ?? zero, ...open.map(({ basisPoints }) => basisPoints)];
  };
  return {
    ofPsp: (fxp, psp, moment) => at(pspKey(fxp, psp), moment),
    ofTier: (fxp, currency, threshold, moment) => at(tierKey(fxp, currency, threshold), moment),
  };
}

const pspKey = (fxp: string, psp: string) => `psp ${fxp} ${psp}`;
const tierKey = (fxp: string, currency: string, threshold: Amount) =>
  `tier ${fxp} ${currency} ${threshold.toFixed()}`;

function postedBy(
  exchange: Exchange,
  reference: Reference,
): { readonly key: string; readonly value: Value } | undefined {
  const [path = ''] = exchange.path.split('?');
  const kind = (['psp', 'tier'] as const).find((one) => posts[one].some((known) => known === path));
  const isRefused = exchange.status !== undefined && exchange.status !== 200 && exchange.status < 500;
  const fxp = reference.findById('BICFI', exchange.client)?.id;
  if (exchange.method !== 'POST' || kind === undefined || isRefused || fxp === undefined) return undefined;
  const body = membersOf(exchange.requestBody);
  const value = {
    basisPoints: amount(body['improvementBasisPoints']),
    from: instant(exchange.sentAt),
    surely: exchange.status === 200 ? instant(exchange.endedAt) : Infinity,
  };
  if (kind === 'tier') {
    return { key: tierKey(fxp, body['unitCurrency'] ?? '', amount(body['threshold'])), value };
  }
  const psp = reference.findById(body['pspIdType'] ?? '', body['pspId'] ?? '');
  return psp === undefined ? undefined : { key: pspKey(fxp, psp.id), value };
}

/** The text members of a JSON body. */
function membersOf(body: string | undefined): Readonly<Record<string, string>> {
  try {
    return JSON.parse(body ?? '{}') as Record<string, string>;
  } catch {
    return {};
  }
}
