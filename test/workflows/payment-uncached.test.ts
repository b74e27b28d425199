// The payment's orchestration, each workflow task replayed from its history: what is not deterministic fails here.
import { orchestration } from './orchestration.ts';

await orchestration({ maxCachedWorkflows: 0 });
