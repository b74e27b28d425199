// The names of everything that can fail, as in the evidence, the journals and `--target`. They are known before
// anything starts, so that a plan can be drawn and a wrong target refused.
import clearingSystems from '../../db/seed/clearing-systems.json' with { type: 'json' };
import { demoFxpBics } from '../../cli/demo/scheme.ts';

export interface Names {
  readonly apis: readonly string[];
  readonly workers: readonly string[];
  /** The names by which operators pause them: `THBPPAY`. */
  readonly clearingSystems: readonly string[];
  /** Every party with an address: `destination/IPSO-TH`, `source/SGDFAST`, `fxp/MERISGS0`. */
  readonly parties: readonly string[];
  /** The parties that have a second address. */
  readonly movable: readonly string[];
}

const destinations = [...new Set(clearingSystems.map((one) => `destination/${one.operatorId}`))];
const sources = clearingSystems.map((one) => `source/${one.clearingSystemId}`);
const fxps = demoFxpBics.map((bic) => `fxp/${bic}`);

export const names: Names = {
  apis: ['api-1', 'api-2'],
  workers: ['worker-1', 'worker-2'],
  clearingSystems: clearingSystems.map((one) => one.clearingSystemId),
  parties: [...destinations, ...sources, ...fxps],
  movable: [...destinations, ...sources],
};
