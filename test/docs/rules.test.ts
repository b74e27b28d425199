// The rule book and what stands beside it: every rule that anything in the project cites can be looked up, every rule
// says where it is kept and which test shows it, and every place that a document names is there.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, matchesGlob, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';
import { evidenceSchema } from '../../api/payments/payment-schemas.ts';
import { onlyInAll } from '../harness/only-in-all.ts';
import { readDocument, root } from './documents.ts';
import { linksOf, proseOf, sectionsOf, type Section } from './markdown.ts';

const families = [
  ...['MON', 'REF', 'FEE', 'FX', 'QUO', 'MSG', 'PAY', 'DUP', 'TIM', 'RES', 'NOT'],
  ...['CBK', 'LIF', 'ADM', 'REC', 'OBS', 'OVL', 'SEC'],
];
const ruleId = new RegExp(String.raw`\b(?:${families.join('|')})-\d+\b`, 'g');
const invariantId = /\bI-\d+\b/g;

const elsewhere = /^(?:node_modules|dist|coverage|\.git|\.isthmus)$/;
/** Where rules are cited: text that people wrote, and no message, in which an id of a payment may look like one. */
const project = readdirSync(root, { withFileTypes: true })
  .filter(({ name }) => !elsewhere.test(name))
  .flatMap((entry) =>
    entry.isDirectory()
      ? readdirSync(join(root, entry.name), { recursive: true, encoding: 'utf8' }).map((path) =>
          join(entry.name, path),
        )
      : [entry.name],
  )
  .filter((path) => /\.(?:ts|mjs|sql|md|json|xsd|sh|ya?ml)$/.test(path))
  .filter((path) => !/^test\/histories\/.*\.json$|^package-lock\.json$/.test(path))
  .sort();
const documents = project.filter((path) => path.endsWith('.md'));
const books = ['rules', 'invariants', 'glossary', 'payment-states'].map(
  (name) => `docs/reference/${name}.md`,
);

const read = (path: string) => (existsSync(join(root, path)) ? readDocument(path) : '');
const entriesOf = (book: string, id: RegExp) =>
  sectionsOf(read(book)).filter(({ level, title }) => level === 3 && title.replace(id, '') === '');
const rules = entriesOf('docs/reference/rules.md', ruleId);
const invariants = entriesOf('docs/reference/invariants.md', invariantId);

/** `- Why: ...` of a rule, over all its lines. */
function item(section: Section, name: string): string | undefined {
  return new RegExp(String.raw`^- ${name}[.:]([^]*?)(?=^- |^\s*$|$(?![^]))`, 'm')
    .exec(section.text)?.[1]
    ?.trim();
}

const product =
  /^(?:core|contract|xml|telemetry|db|workflows|activities|api|sandbox|cli|schemas)\/.*\.(?:ts|mjs|xsd)$/;
const comments = /\/\*[^]*?\*\/|\/\/[^\n]*| -- [^\n]*|<!--[^]*?-->/g;
const strings = /'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g;

/** The files of which a part cites each rule. */
function citing(paths: readonly string[], part: RegExp): ReadonlyMap<string, readonly string[]> {
  const files = new Map<string, string[]>();
  for (const path of paths) {
    const text = (read(path).match(part) ?? []).join('\n');
    for (const id of new Set(text.match(ruleId))) files.set(id, [...(files.get(id) ?? []), path]);
  }
  return files;
}

const isTest = (path: string) => /^test\/.*\.test\.ts$/.test(path);
/** Files with the comment of the function that enforces a rule. */
const keepers = citing(
  project.filter((path) => product.test(path)),
  comments,
);
/** Files with a test that has the rule in its title. */
const showers = citing(project.filter(isTest), strings);

const linked = (paths: readonly string[]) => paths.map((path) => `[\`${path}\`](../../${path})`).join(', ');

/** The lines of a rule that are written from the code. */
const written = (id: string): readonly string[] => [
  `- Kept in: ${linked(keepers.get(id) ?? [])}`,
  `- Shown by: ${linked(showers.get(id) ?? [])}`,
];

/** What is wrong with the tests that an invariant names. */
function faultsOf(section: Section): readonly string[] {
  const links = linksOf(item(section, 'Shown by') ?? '').map(({ path }) =>
    normalize(join('docs/reference', path)),
  );
  if (links.length === 0) return [`${section.title}: no test`];
  return links.filter((path) => !isTest(path) || !existsSync(join(root, path)));
}

describe('the rule book', () => {
  it('has every rule that anything cites', () => {
    const known = new Set(rules.map(({ title }) => title));
    const unknown = project.flatMap((path) =>
      [...new Set(read(path).match(ruleId))].filter((id) => !known.has(id)).map((id) => `${path}: ${id}`),
    );
    expect(unknown).toEqual([]);
  });

  it('has every invariant that anything cites', () => {
    const known = new Set(invariants.map(({ title }) => title));
    const unknown = project.flatMap((path) =>
      [...new Set(read(path).match(invariantId))]
        .filter((id) => !known.has(id))
        .map((id) => `${path}: ${id}`),
    );
    expect(unknown).toEqual([]);
  });

  it('has each rule once, in the order of its number, under its family', () => {
    const numbers = new Map<string, number[]>();
    let family = '';
    for (const { level, title } of sectionsOf(read('docs/reference/rules.md'))) {
      if (level === 2) family = title.split(':')[0] ?? '';
      if (level !== 3) continue;
      const [of = '', number] = title.split('-');
      expect(of).toBe(family);
      numbers.set(of, [...(numbers.get(of) ?? []), Number(number)]);
    }
    expect([...numbers.keys()]).toEqual(families);
    for (const list of numbers.values()) expect(list).toEqual(list.map((_, index) => index + 1));
  });

  it('says of every rule what it asks and why', () => {
    const isSilent = (rule: Section) =>
      !/\w{3}/.test(rule.text.split(/^- /m)[0] ?? '') || !/\w{3}/.test(item(rule, 'Why') ?? '');
    expect(rules.filter(isSilent)).toEqual([]);
  });

  it('names the files that keep and show each rule, as the code cites it (UPDATE_TABLES=1 writes them)', () => {
    const path = join(root, 'docs/reference/rules.md');
    const book = readFileSync(path, 'utf8');
    const updated = book.replaceAll(
      /^(### ([A-Z]+-\d+)\n(?:(?!^### )[^])*?)- Kept in:[^]*?\n- Shown by:[^\n]*(?:\n {2}[^\n]*)*/gm,
      (_, text: string, id: string) => `${text}${written(id).join('\n')}`,
    );
    if (process.env['UPDATE_TABLES'] !== undefined) writeFileSync(path, updated);
    else expect(updated).toBe(book);
    const isUnknown = ({ title }: Section) => !keepers.has(title) || !showers.has(title);
    expect(rules.filter(isUnknown).map(({ title }) => title)).toEqual([]);
  });

  it('has a test that npm test runs, for each rule', () => {
    const quick = (path: string) => !onlyInAll.some((glob) => matchesGlob(path, glob));
    expect(rules.filter(({ title }) => !showers.get(title)?.some(quick)).map(({ title }) => title)).toEqual(
      [],
    );
  });

  it('says of every invariant which test shows it', () => {
    const expected = Array.from({ length: 20 }, (_, index) => `I-${index + 1}`);
    expect(invariants.map(({ title }) => title)).toEqual(expected);
    expect(invariants.flatMap(faultsOf)).toEqual([]);
  });
});

it('the states of a payment are those that the api tells', () => {
  const [states] = sectionsOf(read('docs/reference/payment-states.md')).filter(
    ({ title }) => title === 'The states',
  );
  const named = [...(states?.text ?? '').matchAll(/^\| `([A-Z]+)` \|/gm)].map(([, state]) => state);
  expect(named).toEqual(evidenceSchema.shape.status.options);
});

describe('what a document names is there', () => {
  it.each([...books, 'docs/explanation/architecture.md', 'CONTRIBUTING.md', 'SECURITY.md'])(
    '%s: every file',
    (book) => {
      const named = [...proseOf(readDocument(book)).matchAll(/`([\w.-]+(?:\/[\w.-]+)+)`/g)].map(
        ([, path = '']) => path,
      );
      expect(named.filter((path) => /\.\w+$/.test(path) && !existsSync(join(root, path)))).toEqual([]);
    },
  );

  it.each(documents)('%s: every link and every anchor', (document) => {
    const broken = linksOf(readDocument(document)).filter(({ path, anchor }) => {
      const target = path === '' ? document : normalize(join(dirname(document), path));
      if (!existsSync(join(root, target))) return true;
      if (anchor === undefined) return false;
      return !sectionsOf(readDocument(target)).some((section) => section.anchor === anchor);
    });
    expect(broken).toEqual([]);
  });

  it('no text cites a document that is not in the project', () => {
    const names = new Set(documents.map((path) => path.split('/').at(-1)));
    const lost = project.flatMap((path) =>
      (read(path).match(/(?<![\w/.}%-])[\w./-]+\.md\b/g) ?? [])
        .filter((cited) => !names.has(cited.split('/').at(-1)))
        .map((cited) => `${path}: ${cited}`),
    );
    const vague = project
      .filter((path) => path !== 'test/docs/rules.test.ts')
      .flatMap((path) =>
        (read(path).match(/\((?:design|architecture|reliability)\b(?!\.md\))[^)]*/g) ?? []).map(
          (it) => `${path}: ${it}`,
        ),
      );
    expect([...lost, ...vague]).toEqual([]);
  });
});

describe('a rule that the reference of the API names', () => {
  it.each(['api', 'problems', 'rejections'])('docs/reference/%s.md: leads to its text', (name) => {
    const withoutCode = proseOf(readDocument(`docs/reference/${name}.md`)).replaceAll(/`[^`\n]*`/g, '');
    const linked = withoutCode.matchAll(/\[([A-Z]+-\d+)\]\(rules\.md#([a-z]+-\d+)\)/g);
    for (const [, id = '', anchor] of linked) expect(anchor).toBe(id.toLowerCase());
    expect(withoutCode.replaceAll(/\[[A-Z]+-\d+\]\(rules\.md#[a-z]+-\d+\)/g, '').match(ruleId)).toBeNull();
    expect(withoutCode).toContain('](rules.md#');
  });
});
