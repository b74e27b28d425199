/**
 * The start options of a sandbox: addresses, clearing systems, timings. The parties use only the gateway's
 * HTTP interface. No option may give access to the gateway's database or workflow engine.
 */
import type { XmlEngine } from '../xml/engine.ts';
import type { SigningKeys } from './signed-messages.ts';
import type { TokenSource } from './tokens.ts';

/** A clearing system and its operator, as in `db/seed/clearing-systems.json`. */
export interface SandboxClearingSystem {
  readonly clearingSystemId: string;
  readonly operatorId: string;
  readonly currencyCode: string;
  /** Seconds from `AccptncDtTm` to the deadline of a HIGH payment. */
  readonly maxExecutionSeconds: number;
}

export interface SandboxTimings {
  /** Delay between the HTTP 202 and the later pacs.002 (accounts 0002, 0009, 0010). */
  readonly answerDelayMs: number;
  /** Delay between the ACWP and the ACCC (account 0011). */
  readonly interimDelayMs: number;
  /** Delay between the deadline of a HIGH payment and the late ACCC (account 0006). */
  readonly lateByMs: number;
  /**
   * Delays between the attempts to deliver one pacs.002. The number of delays is the maximum number of
   * repeats.
   */
  readonly retryDelaysMs: readonly number[];
}

export const defaultTimings: SandboxTimings = {
  answerDelayMs: 300, // for accounts 0002, 0009 and 0010 (behaviours.ts)
  interimDelayMs: 2_000, // for account 0011
  lateByMs: 1_500, // well beyond the 250 ms within which the gateway must reject after the deadline (TIM-1)
  // The delays add up to two minutes, enough for a restart of the gateway.
  retryDelaysMs: [200, 500, 1_000, 2_000, ...Array.from({ length: 24 }, () => 5_000)],
};

export type Log = (event: string, fields: Readonly<Record<string, string | number>>) => void;

export interface SandboxOptions {
  /** Address that the servers bind; default: 127.0.0.1. */
  readonly host?: string;
  /** Ports of the servers. For 0 or an absent port, the server uses any free port. */
  readonly ports?: { readonly source?: number; readonly destination?: number; readonly fxProvider?: number };
  readonly clearingSystems: readonly SandboxClearingSystem[];
  /** Provides the tokens with which destinations log in to the gateway. */
  readonly tokens: TokenSource;
  /** Keys of the payment systems whose destinations sign their messages. Default: no destination signs. */
  readonly signingKeys?: SigningKeys;
  /**
   * Address at which the gateway publishes its signing keys. Without this address, the parties do not check
   * signatures.
   */
  readonly gatewayKeysUrl?: string;
  /** Folder of the journal files. Without it, journal entries are kept only in memory. */
  readonly journalDirectory?: string;
  readonly timings?: Partial<SandboxTimings>;
  /** Whether the parties validate messages against the schema; default: true. Benchmarks turn this off. */
  readonly validate?: boolean;
  /** `GET /health` returns this id, so that a client can recognise this sandbox. */
  readonly instanceId?: string;
  /** The XML engine; default: libxml2 in this process. */
  readonly engine?: XmlEngine;
  readonly log?: Log;
}
