// The payment's orchestration, with workflows kept in the worker's memory between their tasks.
import { orchestration } from './orchestration.ts';

await orchestration();
