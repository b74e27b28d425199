// The test files' side of global-setup.ts.
import { inject } from 'vitest';
import type { Offers } from './global-setup.ts';

/**
 * Asks the harness for something that is made once per run.
 * @throws with the reason when it cannot be had: a test that finds no server fails
 */
export async function askFor<Name extends keyof Offers>(name: Name): Promise<Offers[Name]> {
  const response = await fetch(`${inject('harnessUrl')}/${name}`);
  if (!response.ok) throw new Error(`No ${name} for the tests:\n${await response.text()}`);
  return (await response.json()) as Offers[Name];
}
