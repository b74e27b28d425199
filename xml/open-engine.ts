/** Opens the configured engine (`XSD_ENGINE`); nothing else depends on which one it is. */
import type { XmlEngine, XmlEngineName } from './engine.ts';
import { createLibxml2Engine } from './libxml2.ts';
import type { SchemaOptions } from './schemas.ts';

export const xmlEngineNames = ['libxml2', 'xerces'] as const satisfies readonly XmlEngineName[];

/** @throws if Xerces is configured and its package or Java is missing */
export async function openXmlEngine(name: XmlEngineName, options: SchemaOptions = {}): Promise<XmlEngine> {
  if (name === 'libxml2') return createLibxml2Engine(options);
  const { createXercesEngine } = await import('./xerces.ts');
  return createXercesEngine(options);
}
