/** Opens the configured engine (`XSD_ENGINE`); nothing else depends on which one it is. */
import type { XmlEngine, XmlEngineName } from './engine.ts';
import { openGuideline } from './guideline.ts';
import { createLibxml2Engine } from './libxml2.ts';
import type { SchemaOptions } from './schemas.ts';

export const xmlEngineNames = ['libxml2', 'xerces'] as const satisfies readonly XmlEngineName[];

/** What decides by which schemas messages are judged; from the settings of a process. */
export interface EngineConfig {
  readonly xsdEngine: XmlEngineName;
  /** A directory with a usage guideline in place of ours. */
  readonly usageGuideline?: string | undefined;
  /** A directory with the official schemas, by which each message is judged first. */
  readonly officialSchemas?: string | undefined;
}

/** @throws ConfigurationError where the guideline cannot be used; as below */
export function openConfiguredEngine(config: EngineConfig): Promise<XmlEngine> {
  return openXmlEngine(config.xsdEngine, schemasOf(config));
}

function schemasOf({ usageGuideline: directory, officialSchemas }: EngineConfig): SchemaOptions {
  const officialSchemaDirectory = officialSchemas;
  const guideline = directory === undefined ? undefined : openGuideline({ directory });
  return { guideline, officialSchemaDirectory };
}

export interface Engines {
  /** The one that decides. */
  readonly engine: XmlEngine;
  /** Checks a sample; undefined: it is not configured, or does not work here. */
  readonly second: Promise<XmlEngine | undefined>;
  /** Which engines work on this machine, in words for people. */
  readonly inWords: Promise<string>;
}

interface EnginesConfig extends EngineConfig {
  /** Share of the messages that Xerces checks. */
  readonly xercesShare: number;
}

/**
 * @param given in place of the configured one
 * @throws as openConfiguredEngine
 */
export async function openEngines(config: EnginesConfig, given?: XmlEngine): Promise<Engines> {
  if (!asksXerces(config)) {
    const engine = given ?? (await openConfiguredEngine(config));
    return { engine, second: Promise.resolve(undefined), inWords: describeEngines(config) };
  }
  const schemas = schemasOf(config);
  const { createXercesEngine, xercesFault } = await import('./xerces.ts');
  const engine = given ?? createLibxml2Engine(schemas);
  const fault = xercesFault();
  return {
    engine,
    second: fault.then((found) => (found === undefined ? createXercesEngine(schemas) : undefined)),
    inWords: fault.then((found) => withXerces(config, found)),
  };
}

const asksXerces = ({ xsdEngine, xercesShare }: EnginesConfig) => xsdEngine !== 'xerces' && xercesShare > 0;

/**
 * Which engines would work on this machine, in words for people.
 * @internal exported for tests
 */
export async function describeEngines(config: EnginesConfig): Promise<string> {
  if (config.xsdEngine === 'xerces') return 'Xerces (xsd-schema-validator) decides';
  if (!asksXerces(config)) return 'libxml2 decides; Xerces is not asked (XERCES_SHARE=0)';
  const { xercesFault } = await import('./xerces.ts');
  return withXerces(config, await xercesFault());
}

function withXerces({ xercesShare }: EnginesConfig, fault: string | undefined): string {
  if (fault !== undefined) return `libxml2 decides alone; Xerces does not work here: ${fault}`;
  const percent = Number((xercesShare * 100).toPrecision(3));
  return `libxml2 decides; Xerces (xsd-schema-validator) checks ${percent} % of the messages`;
}

/** @throws if Xerces is configured and its package or Java is missing */
export async function openXmlEngine(name: XmlEngineName, options: SchemaOptions = {}): Promise<XmlEngine> {
  if (name === 'libxml2') return createLibxml2Engine(options);
  const { createXercesEngine } = await import('./xerces.ts');
  return createXercesEngine(options);
}
