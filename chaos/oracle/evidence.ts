// The types of the evidence of one run. The evidence is a folder of files. The run writes the files (chaos/run.ts),
// and the oracle reads them and nothing else. This module contains only types, so that the oracle shares no code with
// the gateway. Every time is in ISO 8601 and UTC, with milliseconds, by the clock of the machine.
//
//   run.json               RunRecord: the parameters and times of the run
//   verdict.json, .txt     the verdict, in full and as printed; judging again does not read them
//   exchanges.jsonl        Exchange: every HTTP request of PSPs, source operators and FX providers, with its answer
//   faults.jsonl           FaultRecord: the played faults and their targets
//   machine.jsonl          MachineBeat: how late a separate process was, twice a second
//   journal/*.jsonl        the messages and bookings of the sandbox's parties (sandbox/journal-file.ts)
//   database/<table>.jsonl the rows of a table, one per line, as `row_to_json` writes them (bytea as \x hex)
//   executions.jsonl       ExecutionRecord: the workflow executions that Temporal still has
//   histories/*.json       the histories of 40 executions, to be read and searched for personal data: those that did
//                          not complete first, then the longest
//   logs/*.log             the logs of the gateway's processes, the sandbox, Postgres and Temporal

/** The parameters and times of a run. */
export interface RunRecord {
  readonly seed: number;
  readonly minutes: number;
  /** The command-line options that repeat this run. */
  readonly options?: string;
  /**
   * Version and commit of the code under test. The commit ends in `-dirty` if there were uncommitted changes,
   * and is absent outside a git checkout.
   */
  readonly version?: string;
  readonly commit?: string;
  readonly startedAt: string;
  /** No story began after this time. */
  readonly loadEndedAt: string;
  /** The time when all faults were over and the system was healthy again. */
  readonly healedAt: string;
  /** The time of the database snapshot. */
  readonly gatheredAt: string;
  /** Texts in the names, addresses and accounts of every message. I-14: they must appear nowhere else. */
  readonly canaries: readonly string[];
  /**
   * The addresses (host:port) that were registered at any time during the run. A connection to any other
   * address breaks I-7.
   */
  readonly registeredOrigins: readonly string[];
  /**
   * Connections to the run's traps. A trap is an address that nobody registered, so each connection breaks
   * I-7.
   */
  readonly trapConnections: readonly TrapConnection[];
}

export interface TrapConnection {
  readonly at: string;
  /** The address that was connected to. */
  readonly address: string;
}

/** One HTTP request to the api, as its sender recorded it. */
export interface Exchange {
  readonly sentAt: string;
  readonly endedAt: string;
  /** Name of the api, such as `api-1`. */
  readonly api: string;
  /** Id of the client: a clearing system, or the BIC of a PSP or FX provider. */
  readonly client: string;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /**
   * The reason for the request. `payment` and `resolution` are first submissions. Every other value names a
   * story or a step of one (chaos/load).
   */
  readonly purpose: string;
  readonly uetr?: string;
  readonly messageId?: string;
  readonly requestBody?: string;
  /** The `Prefer` header, if the request had one. */
  readonly prefer?: string;
  /** The HTTP status. Absent if there was no answer; `error` then gives the reason. */
  readonly status?: number;
  readonly responseBody?: string;
  /**
   * Headers of the answer, with names in lower case: content-type, isthmus-rejection, isthmus-quotes-expire,
   * preference-applied, retry-after, location.
   */
  readonly headers?: Readonly<Record<string, string>>;
  /** `refused`, `reset`, `timeout`, or `aborted` if the sender hung up on purpose. */
  readonly error?: string;
  /**
   * The answer that the rules require for this message, even during a fault. Any other answer is a breach. If
   * `expected` is absent, the oracle does not judge the answer.
   */
  readonly expected?: Expected;
}

/**
 * The required answer, if there is an answer. A 5xx, a 429 and a missing answer are no breach of it.
 * checks/unanswered.ts judges a 5xx at a time without faults.
 */
export type Expected =
  /**
   * HTTP 200 with ACTC or a final status. A rejection must have one of `orCodes`, for example after an
   * expired quote or a late repeat.
   */
  | { readonly verdict: 'accepted'; readonly orCodes?: readonly string[] }
  /** HTTP 200 with RJCT and this code, or an acmt.024 with false and this code. */
  | { readonly verdict: 'rejected'; readonly code: string }
  /** HTTP 200 for a GET or a JSON post that this rule permits to the sender. */
  | { readonly verdict: 'answered'; readonly rule: string }
  /** An HTTP status other than 200, such as 400 for a body that is not XML (MSG-2). */
  | { readonly verdict: 'refused'; readonly status: number };

export interface FaultRecord {
  /** The NAME of the option `--fault NAME`. */
  readonly name: string;
  /**
   * The parts that the fault hit, such as `worker-1`, `database` or `destination/IPSO-TH`. Commas separate several
   * targets.
   */
  readonly target: string;
  readonly beganAt: string;
  readonly endedAt: string;
  /** Describes the effect in one sentence. */
  readonly detail: string;
}

/** One measurement of chaos/system/machine-probe.mjs: a pause, 20 ms of work and a write to the disk. */
export interface MachineBeat {
  /** The time when the measurement ended. */
  readonly at: string;
  /** How many milliseconds later it ended than on an idle machine. */
  readonly lateMs: number;
}

/** A workflow execution, as Temporal describes it at the end of the run. */
export interface ExecutionRecord {
  readonly workflowId: string;
  readonly runId: string;
  readonly type: string;
  /** Temporal's status: RUNNING, COMPLETED, FAILED, TERMINATED, ... */
  readonly status: string;
  readonly startedAt: string;
  readonly closedAt?: string;
  readonly historyLength: number;
}
