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
  const { xsdEngine, usageGuideline: directory, officialSchemas: officialSchemaDirectory } = config;
  const guideline =
    directory === undefined ? undefined : openGuideline({ directory, officialSchemaDirectory });
  return openXmlEngine(xsdEngine, { guideline, officialSchemaDirectory });
}

/** @throws if Xerces is configured and its package or Java is missing */
export async function openXmlEngine(name: XmlEngineName, options: SchemaOptions = {}): Promise<XmlEngine> {
  if (name === 'libxml2') return createLibxml2Engine(options);
  const { createXercesEngine } = await import('./xerces.ts');
  return createXercesEngine(options);
}
