// Messages that are tried in every run: what attacks use, and whatever fuzzing has found, which is written here when it is
// found, to be committed with its mend.
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = join(import.meta.dirname, 'corpus');
/** `<fixture that it was>--<what it is>.xml` */
const between = '--';

export interface Kept {
  readonly file: string;
  /** Name of the fixture, whose circumstances it is judged in. */
  readonly from: string;
  readonly body: Buffer;
}

export function corpus(): readonly Kept[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.xml'))
    .map((file) => ({ file, from: fixtureOf(file), body: readFileSync(join(folder, file)) }));
}

/** `pacs008/hk-de-iban.xml` is `pacs008_hk-de-iban` in the name of a file. */
function fixtureOf(file: string): string {
  const [name = ''] = file.split(between);
  return `${name.replace('_', '/')}.xml`;
}

export function keepInCorpus(from: string, body: Uint8Array): void {
  const name = createHash('sha256').update(body).digest('hex').slice(0, 16);
  mkdirSync(folder, { recursive: true });
  const fixture = from.replace('/', '_').replace(/\.xml$/, '');
  writeFileSync(join(folder, `${fixture}${between}found-${name}.xml`), body);
}
