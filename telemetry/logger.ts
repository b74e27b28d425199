// The log of a process: one JSON object a line, written after the work that it tells of (log-stream.ts).
import { pino, type Logger } from 'pino';
import { createLogStream } from './log-stream.ts';

/** @param fields of each line, beside its own; absent: none */
export function createLogger(level: string, service: string, fields?: () => object): Logger {
  return pino({ level, base: { service }, ...(fields && { mixin: fields }) }, createLogStream({ service }));
}
