// The evidence of one run, as files in one folder: written by the run (chaos/run.ts), read by the oracle, which knows
// nothing else. Types only, so that the oracle shares no code with what it judges. Every time is ISO 8601, UTC, with
// milliseconds, by the one clock of the machine.
//
//   run.json               RunRecord
//   verdict.json, .txt     what the judge said, in full and as it was told; judging again reads neither
//   exchanges.jsonl        Exchange: every HTTP request of the PSPs and source operators, with its answer
//   faults.jsonl           FaultRecord: what was done to the system, and which payments it met
//   machine.jsonl          MachineBeat: how late a process beside the system was, twice a second
//   journal/*.jsonl        what the sandbox's parties received, sent and booked (sandbox/journal-file.ts)
//   database/<table>.jsonl every table of the database, one row a line as `row_to_json` writes it (bytea as \x hex)
//   executions.jsonl       ExecutionRecord: what the workflow engine still knows
//   histories/*.json       histories of 40 executions, for reading and for the search for personal data: those that did
//                          not end well first, then the longest
//   logs/*.log             of every process of ours, Postgres and the engine

/** How the whole run went. */
export interface RunRecord {
  readonly seed: number;
  readonly minutes: number;
  /** Name of the fault that was played alone; absent: drawn by the seed. */
  readonly onlyFault?: string;
  /** Name of the mistake that was built in (chaos/mutants); absent: the code as it is. */
  readonly mutant?: string;
  /** By which options a run like it is asked for. */
  readonly options?: string;
  /** What was put under faults: version and commit, `-dirty` where files differ from it; absent where git knows none. */
  readonly version?: string;
  readonly commit?: string;
  readonly startedAt: string;
  /** From here on nothing new was submitted. */
  readonly loadEndedAt: string;
  /** When the last fault had ended. */
  readonly healedAt: string;
  /** When database and journals were read. */
  readonly gatheredAt: string;
  /** Texts that stand in names, addresses and accounts of every message, and must be found nowhere else (I-14). */
  readonly canaries: readonly string[];
  /**
   * The addresses (host:port) that are registered at some time of the run; a connection elsewhere is a breach (I-7).
   */
  readonly registeredOrigins: readonly string[];
  /** Addresses at which the run listened as a stranger: whoever connects there breaks I-7. */
  readonly trapConnections: readonly TrapConnection[];
}

export interface TrapConnection {
  readonly at: string;
  /** Where it came. */
  readonly address: string;
}

/** One HTTP request to the api, as its sender saw it. */
export interface Exchange {
  readonly sentAt: string;
  readonly endedAt: string;
  /** `api-1`, `api-2`. */
  readonly api: string;
  /** Client id: a clearing system, or the BIC of a PSP or FX provider. */
  readonly client: string;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /**
   * Why it was sent. `payment` and `resolution` are first submissions; everything else names the story (chaos/load).
   */
  readonly purpose: string;
  readonly uetr?: string;
  readonly messageId?: string;
  /** As UTF-8, or base64 where the bytes are none. */
  readonly requestBody?: string;
  readonly requestEncoding?: 'utf8' | 'base64';
  /** `Prefer`, where it was sent. */
  readonly prefer?: string;
  /** Absent: no answer; then `error` says why. */
  readonly status?: number;
  readonly responseBody?: string;
  /** Of the answer, lower case: content-type, isthmus-rejection, isthmus-quotes-expire, preference-applied, retry-after, location. */
  readonly headers?: Readonly<Record<string, string>>;
  /** `refused`, `reset`, `timeout`, `aborted` (by the sender, on purpose). */
  readonly error?: string;
  /**
   * What the rules say of this message whatever fails; an answer that says otherwise is a breach. Absent: not judged.
   */
  readonly expected?: Expected;
}

/**
 * What an answer must be if there is one. 5xx, 429 and no answer are not held against it (5xx in a calm moment are, in
 * checks/unanswered.ts).
 */
export type Expected =
  /** 200 and ACTC, or a final; not rejected at once, except for `orCodes` (an expired quote, a late repeat). */
  | { readonly verdict: 'accepted'; readonly orCodes?: readonly string[] }
  /** 200 and RJCT with this code (acmt.024: false). */
  | { readonly verdict: 'rejected'; readonly code: string }
  /** 200: a question, or a post of JSON, that its sender may make by this rule. */
  | { readonly verdict: 'answered'; readonly rule: string }
  /** An HTTP status outside 200, e.g. 400 for what is not XML (MSG-2). */
  | { readonly verdict: 'refused'; readonly status: number };

/** A fault that was played. */
export interface FaultRecord {
  /** As in `--fault NAME`. */
  readonly name: string;
  /** What it hit: `worker-1`, `database`, `destination/IPSO-TH`; several with a comma. */
  readonly target: string;
  readonly beganAt: string;
  readonly endedAt: string;
  /** What was done, in a sentence. */
  readonly detail: string;
}

/** One beat of chaos/system/machine-probe.mjs: a pause, 20 ms of work and a write to the disk. */
export interface MachineBeat {
  /** When the beat ended. */
  readonly at: string;
  /** How much later it ended than it would have on an idle machine. */
  readonly lateMs: number;
}

/** An execution as the engine tells it at the end. */
export interface ExecutionRecord {
  readonly workflowId: string;
  readonly runId: string;
  readonly type: string;
  /** RUNNING, COMPLETED, FAILED, TERMINATED, ... */
  readonly status: string;
  readonly startedAt: string;
  readonly closedAt?: string;
  readonly historyLength: number;
}
