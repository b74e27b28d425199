// The log of a process: one JSON object per line, written asynchronously (log-stream.ts).
import { pino, type Logger } from 'pino';
import { createLogStream } from './log-stream.ts';

/** @param fields returns further fields for each line */
export function createLogger(level: string, service: string, fields?: () => object): Logger {
  return pino({ level, base: { service }, ...(fields && { mixin: fields }) }, createLogStream({ service }));
}
