// Everything that can differ between two moments of one payment: the record, the clock, what is under way in our
// processes and in the engine, and what the parties have done and know. One state is one plain object of short words;
// what each of them can be is listed here, so that two states that are alike have the same short key.
import { finalStatuses, isFinal, type FinalStatus } from '../../core/payments/report.ts';
import type { Mistake } from './mistakes.ts';
import { recordValues, type Report } from './record.ts';

const no = [false, true] as const;

const values = {
  /** Faults that have happened. */
  faults: [0, 1, 2, 3],
  ...recordValues,
  /** HIGH: 1 past the deadline. NORM: 1 from 60 s, 2 from 24 h after acceptance. By the database clock. */
  time: [0, 1, 2],
  execution: ['none', 'judging', 'waiting', 'telling'],
  /**
   * The judgement of the execution (activities/payments/validate-payment.ts): nothing was on record when it was read (`late`:
   * and the deadline was past); or what stands, as it was read or written, is to reach the engine.
   */
  judging: ['-', 'asked', 'read', 'read late', 'stands open', 'stands decided', 'stands A', 'stands B'],
  /** One whose worker stood still, or whose execution was lost. */
  strayJudging: ['-', 'read', 'read late'],
  /** Of a NORM payment: an enquiry is being made, the last one is, it was, and the payment is in doubt. */
  stage: ['-', 'enquiry', 'last enquiry', 'last', 'in doubt'],
  /**
   * The send that the execution waits for (activities/payments/forward-payment.ts, send.ts): asked for; claimed; the bytes are
   * on their way; read by the destination; a final came, and the record was read (`late`: as decided); it is stored; a
   * late one is confirmed, and to be compared.
   */
  sending: [
    '-',
    'asked',
    'claimed',
    'sent',
    'read',
    'noted',
    'stored',
    'noted late',
    'stored late',
    'compares',
  ],
  /** One that it does not wait for any longer. */
  straySending: ['-', 'claimed', 'sent', 'read', 'noted', 'stored', 'noted late', 'stored late', 'compares'],
  /** A report at our own address (api/payments/iso20022.ts, db/payments/reports.ts). */
  reporting: [
    ...['-', 'A noted', 'A stored', 'A noted late', 'A stored late'],
    ...['B noted', 'B stored', 'B noted late', 'B stored late'],
  ],
  /** The source's pacs.008 is stored, and on its way to the execution. */
  submitting: no,
  /** A copy of the instruction is on its way of which no sender waits. */
  copy: no,
  /** Whether any byte of the instruction ever left. */
  left: no,
  /** The source was answered 200; once there is a payment, that makes no difference any more, and counts as true. */
  acknowledged: no,
  /** What final the source was told. */
  told: ['-', ...finalStatuses, 'two'],
  /** The instructions that the destination saw: bit 1 the first, bit 2 another. */
  seen: [0, 1, 2, 3],
  /** What the destination did. `holds`: it has not said yet. `reversed`: credited, and taken back. */
  booked: ['-', 'holds', ...finalStatuses, 'reversed'],
  /** The decision, as the destination was told. */
  confirmed: ['-', ...finalStatuses],
  /** It has reported at our address; it has contradicted itself. */
  reported: no,
  lied: no,
  /** fxtr.017 that the FX provider has taken, by content: bits as above. */
  notified: [0, 1, 2, 3],
} as const;

type Values = typeof values;

export type State = { readonly [Part in keyof Values]: Values[Part][number] } & {
  /** Calls of decidePayment: ids of deciding.ts, in order. */
  readonly deciding: readonly number[];
};

export type Sending = State['sending'];
export type Judging = State['judging'];

/** The first value of each part is what it begins with. */
export const initial = Object.assign(
  Object.fromEntries(Object.entries(values).map(([part, [first]]) => [part, first])),
  { deciding: [] },
) as unknown as State;

/** What is the same in all states of one exploration. */
export interface Rules {
  readonly priority: 'HIGH' | 'NORM';
  /** How many faults may happen, each at any moment. */
  readonly faults: number;
  /** Whose faults, by the beginning of the actor's name; undefined: everybody's. */
  readonly faultsOf?: string;
  /** Whether the destination may contradict itself. */
  readonly mayLie?: boolean;
  /** What it may say; undefined: any final. */
  readonly says?: readonly FinalStatus[];
  readonly mistake?: Mistake;
}

export const isPastDeadline = ({ time }: State, { priority }: Rules): boolean =>
  priority === 'HIGH' && time > 0;

/** Whether anything is under way beside the deliveries. */
export const isBusy = (state: State): boolean =>
  state.sending !== '-' ||
  state.straySending !== '-' ||
  state.reporting !== '-' ||
  state.strayJudging !== '-' ||
  state.copy ||
  state.deciding.length > 0;

/** What a report says: A what the destination did, B the contrary. */
export function statusOf({ booked }: Pick<State, 'booked'>, report: Report): FinalStatus {
  const done = booked === 'reversed' ? 'ACCC' : isFinal(booked) ? booked : 'RJCT';
  if (report === 'A') return done;
  return done === 'ACCC' ? 'RJCT' : 'ACCC';
}

const parts = Object.entries(values).map(([part, list]) => ({
  part: part as keyof Values,
  codes: new Map<unknown, number>(list.map((value, code) => [value, code])),
  size: list.length,
}));
const charSize = 0x1_00_00;

/** Two states have the same key if they are alike. */
export function keyOf(state: State): string {
  let key = '';
  let code = 0;
  let size = 1;
  for (const part of parts) {
    if (size * part.size > charSize) {
      key += String.fromCharCode(code);
      code = 0;
      size = 1;
    }
    code = code * part.size + part.codes.get(state[part.part])!;
    size *= part.size;
  }
  return String.fromCharCode(code, ...state.deciding) + key;
}
