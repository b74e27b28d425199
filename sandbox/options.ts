/**
 * The start options of a sandbox: addresses, clearing systems, timings. The parties know only the gateway's HTTP
 * interface. No option may give access to its database or workflow engine.
 */
import type { XmlEngine } from '../xml/engine.ts';
import type { SigningKeys } from './signed-messages.ts';
import type { TokenSource } from './tokens.ts';

/** A clearing system and its operator. Rows of `db/seed/clearing-systems.json` have this shape. */
export interface SandboxClearingSystem {
  readonly clearingSystemId: string;
  readonly operatorId: string;
  readonly currencyCode: string;
  /** HIGH: seconds from `AccptncDtTm` to the deadline. */
  readonly maxExecutionSeconds: number;
}

export interface SandboxTimings {
  /** Between the 202 and the later pacs.002 (accounts 0002, 0009, 0010). */
  readonly answerDelayMs: number;
  /** Between the ACWP and the ACCC (0011). */
  readonly interimDelayMs: number;
  /** How long after the HIGH deadline the ACCC of 0006 is sent. */
  readonly lateByMs: number;
  /** Delays between the attempts to deliver one pacs.002; as many repeats as there are delays. */
  readonly retryDelaysMs: readonly number[];
}

export const defaultTimings: SandboxTimings = {
  answerDelayMs: 300, // for account ...0002 (behaviours.ts)
  interimDelayMs: 2_000, // for account ...0011
  lateByMs: 1_500, // well beyond the 250 ms that TIM-1 allows the gateway
  // two minutes in total, enough for a restart of the gateway
  retryDelaysMs: [200, 500, 1_000, 2_000, ...Array.from({ length: 24 }, () => 5_000)],
};

export type Log = (event: string, fields: Readonly<Record<string, string | number>>) => void;

export interface SandboxOptions {
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** 0 or absent: any free port. */
  readonly ports?: { readonly source?: number; readonly destination?: number; readonly fxProvider?: number };
  readonly clearingSystems: readonly SandboxClearingSystem[];
  /** The source of a destination's token for the gateway. */
  readonly tokens: TokenSource;
  /** Keys of the payment systems whose destinations sign their messages; absent: none does. */
  readonly signingKeys?: SigningKeys;
  /** Address at which the gateway publishes its signing keys; absent: signatures are not checked. */
  readonly gatewayKeysUrl?: string;
  /** Absent: entries are kept in memory only. */
  readonly journalDirectory?: string;
  readonly timings?: Partial<SandboxTimings>;
  /** false: messages are parsed and read, but not validated against their schema (benchmarks). */
  readonly validate?: boolean;
  /** Shown by `GET /health`, so that a client can recognise this sandbox. */
  readonly instanceId?: string;
  /** Default: libxml2 in-process. */
  readonly engine?: XmlEngine;
  readonly log?: Log;
}
