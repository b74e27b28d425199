// The evidence of one run, as files in one folder. The run writes them (chaos/run.ts); the oracle reads them and knows
// nothing else. These are types only, so that the oracle shares no code with what it judges. Every time is ISO 8601,
// UTC, with milliseconds, by the clock of the machine.
//
//   run.json               RunRecord
//   verdict.json, .txt     the verdict, in full and as printed; judging again reads neither
//   exchanges.jsonl        Exchange: every HTTP request of the PSPs and source operators, with its answer
//   faults.jsonl           FaultRecord: the faults that were played, and their targets
//   machine.jsonl          MachineBeat: how late a process beside the system was, twice a second
//   journal/*.jsonl        what the sandbox's parties received, sent and booked (sandbox/journal-file.ts)
//   database/<table>.jsonl every table of the database, one row a line as `row_to_json` writes it (bytea as \x hex)
//   executions.jsonl       ExecutionRecord: the executions that the workflow engine still knows
//   histories/*.json       histories of 40 executions, for reading and for the search for personal data: those that did
//                          not complete first, then the longest
//   logs/*.log             of all our processes, Postgres and the engine

/** Describes the whole run. */
export interface RunRecord {
  readonly seed: number;
  readonly minutes: number;
  /** The command-line options that repeat this run. */
  readonly options?: string;
  /** The code under test: version and commit, with `-dirty` for uncommitted changes. Absent if git does not know it. */
  readonly version?: string;
  readonly commit?: string;
  readonly startedAt: string;
  /** Nothing new was submitted after this time. */
  readonly loadEndedAt: string;
  /** When the last fault had ended. */
  readonly healedAt: string;
  /** When the database and the journals were read. */
  readonly gatheredAt: string;
  /** Texts in the names, addresses and accounts of every message. They must appear nowhere else (I-14). */
  readonly canaries: readonly string[];
  /**
   * The addresses (host:port) that were registered at some time during the run. A connection to any other is a breach
   * (I-7).
   */
  readonly registeredOrigins: readonly string[];
  /** Connections to the run's traps: addresses that belong to strangers. Each breaks I-7. */
  readonly trapConnections: readonly TrapConnection[];
}

export interface TrapConnection {
  readonly at: string;
  /** The address to which it connected. */
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
   * The reason for the request. `payment` and `resolution` are first submissions; all other values name a story
   * (chaos/load).
   */
  readonly purpose: string;
  readonly uetr?: string;
  readonly messageId?: string;
  readonly requestBody?: string;
  /** The `Prefer` header, if it was sent. */
  readonly prefer?: string;
  /** Absent if there was no answer; `error` then gives the reason. */
  readonly status?: number;
  readonly responseBody?: string;
  /**
   * Headers of the answer, in lower case: content-type, isthmus-rejection, isthmus-quotes-expire, preference-applied,
   * retry-after, location.
   */
  readonly headers?: Readonly<Record<string, string>>;
  /** `refused`, `reset`, `timeout`, `aborted` (by the sender, on purpose). */
  readonly error?: string;
  /**
   * The answer that the rules demand for this message, whatever fails. Any other answer is a breach. Absent: not
   * judged.
   */
  readonly expected?: Expected;
}

/**
 * The demanded answer, if there is an answer. 5xx, 429 and a missing answer do not violate it. (checks/unanswered.ts
 * judges a 5xx in a calm moment.)
 */
export type Expected =
  /** 200 with ACTC or a final; a rejection only with one of `orCodes` (an expired quote, a late repeat). */
  | { readonly verdict: 'accepted'; readonly orCodes?: readonly string[] }
  /** 200 with RJCT and this code (acmt.024: false). */
  | { readonly verdict: 'rejected'; readonly code: string }
  /** 200: a GET or a JSON post that this rule allows its sender. */
  | { readonly verdict: 'answered'; readonly rule: string }
  /** An HTTP status other than 200, such as 400 for a body that is not XML (MSG-2). */
  | { readonly verdict: 'refused'; readonly status: number };

/** A fault that was played. */
export interface FaultRecord {
  /** The NAME in `--fault NAME`. */
  readonly name: string;
  /** Its target: `worker-1`, `database`, `destination/IPSO-TH`; several are joined by commas. */
  readonly target: string;
  readonly beganAt: string;
  readonly endedAt: string;
  /** One sentence about the effect. */
  readonly detail: string;
}

/** One beat of chaos/system/machine-probe.mjs: a pause, 20 ms of work and a write to the disk. */
export interface MachineBeat {
  /** When the beat ended. */
  readonly at: string;
  /** How much later it ended than on an idle machine. */
  readonly lateMs: number;
}

/** An execution as the engine describes it at the end. */
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
