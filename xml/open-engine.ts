/** Chooses the engine that an entry file asks for (`XSD_ENGINE`); nothing else knows which one it is. */
import type { XmlEngine, XmlEngineName } from './engine.ts';
import { createLibxml2Engine } from './libxml2.ts';
import type { SchemaOptions } from './schemas.ts';

export const xmlEngineNames = ['libxml2', 'xerces'] as const satisfies readonly XmlEngineName[];

/** @throws when Xerces is asked for and its package or Java is missing */
export async function openXmlEngine(name: XmlEngineName, options: SchemaOptions = {}): Promise<XmlEngine> {
  if (name === 'libxml2') return createLibxml2Engine(options);
  const { createXercesEngine } = await import('./xerces.ts');
  return createXercesEngine(options);
}
