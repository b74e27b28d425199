/** Opens the configured XML engine (`XSD_ENGINE`). No other code depends on this choice. */
import type { XmlEngine, XmlEngineName } from './engine.ts';
import { openGuideline } from './guideline.ts';
import { createLibxml2Engine } from './libxml2.ts';
import type { SchemaOptions } from './schemas.ts';

export const xmlEngineNames = ['libxml2', 'xerces'] as const satisfies readonly XmlEngineName[];

/** The settings that determine the schemas by which messages are judged. */
export interface EngineConfig {
  readonly xsdEngine: XmlEngineName;
  /** Directory with a usage guideline that replaces the built-in one. */
  readonly usageGuideline?: string | undefined;
  /** Directory with the official schemas. If configured, they validate each message first. */
  readonly officialSchemas?: string | undefined;
}

/** @throws ConfigurationError if the guideline cannot be used; otherwise throws like `openXmlEngine` */
export function openConfiguredEngine(config: EngineConfig): Promise<XmlEngine> {
  return openXmlEngine(config.xsdEngine, schemasOf(config));
}

function schemasOf({ usageGuideline: directory, officialSchemas }: EngineConfig): SchemaOptions {
  const officialSchemaDirectory = officialSchemas;
  const guideline = directory === undefined ? undefined : openGuideline({ directory });
  return { guideline, officialSchemaDirectory };
}

export interface Engines {
  /** The engine that decides whether a message is valid. */
  readonly engine: XmlEngine;
  /** The engine that checks a sample. Undefined if it is not configured or does not work on this machine. */
  readonly second: Promise<XmlEngine | undefined>;
  /** The engines that work on this machine, as text for the log. */
  readonly inWords: Promise<string>;
}

interface EnginesConfig extends EngineConfig {
  /** Share of the messages that Xerces checks, from 0 to 1. */
  readonly xercesShare: number;
}

/**
 * Opens the deciding engine and the sampling engine.
 * @param given replaces the configured engine
 * @throws like `openConfiguredEngine`
 */
export async function openEngines(config: EnginesConfig, given?: XmlEngine): Promise<Engines> {
  const { xsdEngine, xercesShare } = config;
  const schemas = schemasOf(config);
  const engine = given ?? (await openXmlEngine(xsdEngine, schemas));
  if (xsdEngine === 'xerces' || xercesShare === 0) {
    return {
      engine,
      second: Promise.resolve(undefined),
      inWords: Promise.resolve(`${xsdEngine} decides alone`),
    };
  }
  const { createXercesEngine, xercesFault } = await import('./xerces.ts');
  const fault = xercesFault();
  return {
    engine,
    second: fault.then((found) => (found === undefined ? createXercesEngine(schemas) : undefined)),
    inWords: fault.then((found) =>
      found === undefined
        ? `libxml2 decides; Xerces (xsd-schema-validator) checks a share of ${xercesShare}`
        : `libxml2 decides alone; Xerces does not work here: ${found}`,
    ),
  };
}

/** @throws if Xerces is configured but its package or Java is missing */
export async function openXmlEngine(name: XmlEngineName, options: SchemaOptions = {}): Promise<XmlEngine> {
  if (name === 'libxml2') return createLibxml2Engine(options);
  const { createXercesEngine } = await import('./xerces.ts');
  return createXercesEngine(options);
}
