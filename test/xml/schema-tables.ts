// Renders the tables of schemas/README.md from the schemas, so that what a stranger reads is what is enforced.
import { messages, type MessageName } from '../../core/iso20022/messages.ts';
import type { ComplexType, Particle, SchemaModel } from '../../xml/schema-model.ts';
import { loadModel } from './generate.ts';

const names = Object.keys(messages) as MessageName[];

interface Row {
  readonly path: string;
  readonly occurrence: string;
  readonly type: string;
  readonly rule: string;
  readonly source: string;
}

/** All types of all schemas; types of one name are the same in each, which the test checks. */
export function mergedModel(): SchemaModel {
  const models = names.map(loadModel);
  return {
    complexTypes: new Map(models.flatMap((model) => [...model.complexTypes])),
    simpleTypes: new Map(models.flatMap((model) => [...model.simpleTypes])),
  };
}

/** The particles of a type once each, in the order of the first option that has them. */
function particlesOf(type: ComplexType): readonly Particle[] {
  const byName = new Map<string, Particle>();
  for (const option of type.options) {
    for (const particle of option) if (!byName.has(particle.name)) byName.set(particle.name, particle);
  }
  return [...byName.values()];
}

/** Types that more than one element has: they get a table of their own. */
function sharedTypes(model: SchemaModel): ReadonlySet<string> {
  const users = new Map<string, number>();
  for (const [name, type] of model.complexTypes) {
    if (name === 'Document') continue;
    for (const particle of particlesOf(type)) users.set(particle.type, (users.get(particle.type) ?? 0) + 1);
  }
  return new Set(
    [...users].filter(([name, count]) => count > 1 && model.complexTypes.has(name)).map(([name]) => name),
  );
}

function occurrence(particle: Particle, type: ComplexType): string {
  if (type.kind === 'choice') return type.options.length > 1 ? 'one of' : '1..1';
  if (type.kind === 'alternatives') return '0..1';
  return `${particle.min}..${particle.max === Infinity ? 'n' : particle.max}`;
}

function rows(
  typeName: string,
  model: SchemaModel,
  shared: ReadonlySet<string>,
  prefix = '',
): readonly Row[] {
  const type = model.complexTypes.get(typeName);
  if (type === undefined) return [];
  return particlesOf(type).flatMap((particle) => {
    const path = `${prefix}${particle.name}`;
    const inner = model.complexTypes.get(particle.type);
    const isLinked = shared.has(particle.type);
    const row: Row = {
      path,
      occurrence: occurrence(particle, type),
      type: isLinked
        ? `[${particle.type}](#${particle.type.toLowerCase()})`
        : inner === undefined
          ? particle.type
          : '',
      rule:
        particle.documentation === '' && !isLinked ? (inner?.documentation ?? '') : particle.documentation,
      source: particle.source,
    };
    return isLinked || inner === undefined ? [row] : [row, ...rows(particle.type, model, shared, `${path}/`)];
  });
}

function table(header: readonly string[], lines: readonly (readonly string[])[]): string {
  const render = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [render(header), render(header.map(() => '---')), ...lines.map(render)].join('\n');
}

function elementTable(list: readonly Row[]): string {
  return table(
    ['element', 'occurs', 'type', 'rule', 'source'],
    list.map(({ path, occurrence: occurs, type, rule, source }) => [
      `\`${path}\``,
      occurs,
      type,
      rule,
      source,
    ]),
  );
}

/** What ISO 20022 has in the elements of a table and the scheme does not use, for those that leave anything out. */
function leftOut(
  typeName: string,
  model: SchemaModel,
  shared: ReadonlySet<string>,
  path = '',
): readonly string[] {
  const type = model.complexTypes.get(typeName);
  if (type === undefined) return [];
  const names = [...type.leftOut].map((name) => `\`${path}${name}\``);
  const inner = particlesOf(type)
    .filter((particle) => !shared.has(particle.type))
    .flatMap((particle) => leftOut(particle.type, model, shared, `${path}${particle.name}/`));
  return [...names, ...inner];
}

function notUsed(names: readonly string[]): readonly string[] {
  return names.length === 0 ? [] : [`ISO 20022 also has ${names.join(', ')}; the scheme does not use them.`];
}

/** Everything below the heading `## Messages` of schemas/README.md. */
export function renderTables(): string {
  const model = mergedModel();
  const shared = sharedTypes(model);
  const parts = ['## Messages'];
  for (const name of names) {
    const { identifier, messageElement } = messages[name];
    const top = loadModel(name).complexTypes.get('Document')?.options[0]?.[0]?.type ?? '';
    const about = model.complexTypes.get(top)?.documentation ?? '';
    parts.push(
      `### ${identifier}`,
      `\`Document/${messageElement}\`: ${about}`,
      elementTable(rows(top, model, shared)),
      ...notUsed(leftOut(top, model, shared)),
    );
  }
  parts.push('## Types that several elements have');
  for (const name of [...shared].toSorted()) {
    const type = model.complexTypes.get(name);
    const own = type?.kind === 'amount' ? [] : rows(name, model, shared);
    parts.push(`### ${name}`, type?.documentation ?? '');
    if (own.length > 0) parts.push(elementTable(own), ...notUsed(leftOut(name, model, shared)));
  }
  const values = [...model.simpleTypes].toSorted(([one], [other]) => (one < other ? -1 : 1));
  const limitsOf = (facets: readonly { readonly name: string; readonly value: string }[]) =>
    facets
      .filter(({ name }) => name !== 'pattern') // put into words by the meaning
      .map(({ name, value }) => (name === 'enumeration' ? `\`${value}\`` : `${name} ${value}`))
      .join(', ');
  parts.push(
    '## Values',
    table(
      ['type', 'of', 'limits', 'meaning'],
      values.map(([name, { base, facets, documentation }]) => [name, base, limitsOf(facets), documentation]),
    ),
  );
  return `${parts.join('\n\n')}\n`;
}

/** The same tables whatever the widths of their columns. */
export function withoutPadding(text: string): string {
  return text.replaceAll(/ *\| */g, '|').replaceAll(/\|-+/g, '|-');
}
