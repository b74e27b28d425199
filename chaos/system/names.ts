// The names of all parts that can fail, as used in the evidence, the journals and `--target`. They are
// constants, so that the program can plan the faults and check a target before it starts anything.
import clearingSystems from '../../db/seed/clearing-systems.json' with { type: 'json' };
import { demoFxpBics } from '../../cli/demo/scheme.ts';

export interface Names {
  readonly apis: readonly string[];
  readonly workers: readonly string[];
  /** Ids of clearing systems, such as `THBPPAY`. Operators pause destinations under these ids. */
  readonly clearingSystems: readonly string[];
  /** Every party with an address, such as `destination/IPSO-TH`, `source/SGDFAST` or `fxp/MERISGS0`. */
  readonly parties: readonly string[];
  /** The parties with a second address. */
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
