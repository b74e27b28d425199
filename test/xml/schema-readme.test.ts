// schemas/README.md says what the schemas enforce. `UPDATE_TABLES=1 npx vitest run test/xml/schema-readme.test.ts`
// writes its tables.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';
import { expect, test } from 'vitest';
import { messages, type MessageName } from '../../core/iso20022/messages.ts';
import { entriesPerPage } from '../../core/books/reconciliation.ts';
import { loadModel } from './generate.ts';
import { mergedModel, renderTables, withoutPadding } from './schema-tables.ts';

const path = fileURLToPath(new URL('../../schemas/README.md', import.meta.url));

test('the tables of the README are those of the schemas', async () => {
  const text = readFileSync(path, 'utf8');
  const start = text.indexOf('## Messages\n');
  if (process.env['UPDATE_TABLES'] !== undefined) {
    const written = text.slice(0, start) + renderTables();
    writeFileSync(path, await format(written, { ...(await resolveConfig(path)), filepath: path }));
  }
  expect(withoutPadding(readFileSync(path, 'utf8').slice(start))).toBe(withoutPadding(renderTables()));
});

test('a page of a book has as many entries in the schema as in the code (REC-1)', () => {
  const schema = readFileSync(new URL('../../schemas/camt.054.001.11.xsd', import.meta.url), 'utf8');
  expect(schema).toContain(`name="Ntry" type="Entry" minOccurs="0" maxOccurs="${entriesPerPage}"`);
  expect(schema).toContain(`Of up to ${entriesPerPage} entries.`);
});

test('types of one name are the same in every schema', () => {
  const merged = mergedModel();
  for (const name of Object.keys(messages) as MessageName[]) {
    const model = loadModel(name);
    for (const [typeName, type] of model.complexTypes) {
      if (typeName !== 'Document')
        expect(type, `${name} ${typeName}`).toEqual(merged.complexTypes.get(typeName));
    }
    for (const [typeName, type] of model.simpleTypes) {
      expect(type, `${name} ${typeName}`).toEqual(merged.simpleTypes.get(typeName));
    }
  }
});
