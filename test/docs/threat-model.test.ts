// The threat model names, for each threat, a rule, the code and a test that are there; and it leaves out no rule of security.
import { expect, it } from 'vitest';
import { readDocument } from './documents.ts';

const document = readDocument('docs/explanation/threat-model.md');
const threats = [...document.matchAll(/^- (\*\*[^*]+\*\*)[^\n]*\n {2}(.+)$/gm)].map(
  ([, threat = '', where = '']) => ({
    threat,
    where,
  }),
);

it('has threats on each edge of its picture', () => {
  const edges = [...document.matchAll(/^## (\d)\. .*\n[^]*?(?=^## )/gm)].map(([text, number]) => [
    Number(number),
    (text.match(/^- \*\*/gm) ?? []).length > 1,
  ]);
  const drawn = new Set([...document.matchAll(/ -- "(\d)/g)].map(([, number]) => Number(number)));
  expect(edges).toEqual([...drawn].sort((one, other) => one - other).map((number) => [number, true]));
});

it.each(threats)('$threat is stopped by a rule, by code, and by a test that is there', ({ where }) => {
  const [rules = '', code = '', tests = ''] = where.split(' · ');
  expect(rules).toMatch(/^\[[A-Z]+-\d+\]\(/);
  const files = (part: string) =>
    [...part.matchAll(/\]\(\.\.\/\.\.\/([^)]+)\)/g)].map(([, path = '']) => path);
  expect(files(code).length).toBeGreaterThan(0);
  expect(files(code).filter((path) => path.startsWith('test/'))).toEqual([]);
  expect(files(tests).length).toBeGreaterThan(0);
  for (const one of tests.split(/; (?=\[)/)) {
    const [path = ''] = files(one);
    const text = readDocument(path);
    for (const [, title = ''] of one.matchAll(/“([^”]+)”/g)) expect(text, path).toContain(title);
  }
});

it('leaves out no rule of security', () => {
  const rules = [...readDocument('docs/reference/rules.md').matchAll(/^### (SEC-\d+)$/gm)].map(
    ([, id = '']) => id,
  );
  expect(rules.length).toBeGreaterThan(8);
  expect(rules.filter((id) => !threats.some(({ where }) => where.includes(`[${id}]`)))).toEqual([]);
});
