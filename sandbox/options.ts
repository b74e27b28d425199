/**
 * What a sandbox is started with: addresses, clearing systems, timings. The parties know the gateway by its HTTP
 * interface only; nothing here may reach its database or its workflow engine.
 */
import type { XmlEngine } from '../xml/engine.ts';
import type { SigningKeys } from './signed-messages.ts';
import type { TokenSource } from './tokens.ts';

/** A clearing system and who runs it; rows of `db/seed/clearing-systems.json` fit as they are. */
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
  answerDelayMs: 300, // of account ...0002 (behaviours.ts)
  interimDelayMs: 2_000, // of account ...0011
  lateByMs: 1_500, // well beyond the 250 ms that TIM-1 allows the gateway
  retryDelaysMs: [200, 500, 1_000, 2_000, ...Array.from({ length: 24 }, () => 5_000)], // two minutes: a restart
};

export type Log = (event: string, fields: Readonly<Record<string, string | number>>) => void;

export interface SandboxOptions {
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** 0 or absent: a free one. */
  readonly ports?: { readonly source?: number; readonly destination?: number; readonly fxProvider?: number };
  readonly clearingSystems: readonly SandboxClearingSystem[];
  /** Where a destination gets its token for the gateway. */
  readonly tokens: TokenSource;
  /** Of the payment systems whose destinations sign what they send; absent: none does. */
  readonly signingKeys?: SigningKeys;
  /** Where the gateway publishes the keys of what it sends; absent: signatures are not looked at. */
  readonly gatewayKeysUrl?: string;
  /** Absent: entries are kept in memory only. */
  readonly journalDirectory?: string;
  /** Entries kept in memory, the newest ones. */
  readonly memoryEntries?: number;
  readonly timings?: Partial<SandboxTimings>;
  /** false: messages are parsed and read, but not validated against their schema (benchmarks). */
  readonly validate?: boolean;
  /** What `GET /health` says of it, for whoever must know that it is this one. */
  readonly instanceId?: string;
  /** Default: libxml2 in-process. */
  readonly engine?: XmlEngine;
  readonly log?: Log;
}
