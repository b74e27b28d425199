// The log of a process: one JSON object a line (OBS-1), written after the work that it tells of (log-stream.ts).
import { pino, type Logger } from 'pino';
import { createLogStream } from './log-stream.ts';

export function createLogger(level: string, service: string): Logger {
  return pino({ level, base: { service } }, createLogStream({ service }));
}
