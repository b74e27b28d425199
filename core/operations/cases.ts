/**
 * Alerts, and who takes care of them (OBS-6). What an operator does is written down under one alert, or under a case: a
 * payment or resolution with all its alerts so far. An alert that comes later opens the case again.
 */

export const caseActions = ['take', 'note', 'close', 'reopen'] as const;
export type CaseAction = (typeof caseActions)[number];

/** `open`: nobody takes care of it; `taken`: somebody does; `closed`: nothing more is to be done. */
export const alertStates = ['open', 'taken', 'closed'] as const;
export type AlertState = (typeof alertStates)[number];

/** What an operator did. */
export interface CaseEntry {
  /** The alert that it is about; null: the whole case. */
  readonly alertId: string | null;
  /** The alerts that it is about, at most a hundred; none where a payment without any was taken care of. */
  readonly alerts: readonly { readonly alertId: string; readonly kind: string }[];
  /** How many it is about. */
  readonly alertCount: number;
  readonly action: CaseAction;
  /** Who: client id. */
  readonly by: string;
  readonly note: string | null;
  readonly at: Date;
}

export interface Alert {
  readonly alertId: string;
  readonly at: Date;
  readonly severity: 'alert' | 'security';
  readonly kind: string;
  /** UETR of the payment, or id of the resolution, that it is about; null: neither. */
  readonly subjectId: string | null;
  readonly party: string | null;
  readonly detail: unknown;
  readonly state: AlertState;
  /** Who takes care of it, since when; null where nobody does. */
  readonly takenBy: string | null;
  readonly takenAt: Date | null;
  /** Who said that nothing more is to be done, and when; null where it is not closed. */
  readonly closedBy: string | null;
  readonly closedAt: Date | null;
}

/** How an alert, or some that stand alike, stand by what was done last. */
export type Standing = Pick<Alert, 'state' | 'takenBy' | 'takenAt' | 'closedBy' | 'closedAt'>;

export interface AlertFilter {
  readonly states: readonly AlertState[];
  readonly severity?: 'alert' | 'security';
  readonly kind?: string;
  /** Under any of these names. */
  readonly parties?: readonly string[];
  readonly subjectId?: string;
  readonly takenBy?: string;
  readonly from?: Date;
  readonly to?: Date;
}

/** Every action but `take` needs a note: what is closed without a word tells the next shift nothing. */
export function needsNote(action: CaseAction): boolean {
  return action !== 'take';
}

/** What an operator is about to do. */
export interface NewEntry {
  readonly action: CaseAction;
  readonly by: string;
  readonly note: string | null;
}

/** Which open alerts of a case are over. */
export interface Closing {
  /** Those of these kinds, or all; undefined: they are all of one kind. */
  readonly kinds: readonly string[] | 'all' | undefined;
  /** Id of the last alert that whoever closes has looked at: what came after it stays open. */
  readonly seen: string | undefined;
}

/** How many alerts there are of a kind. */
export interface AlertsOfKind {
  readonly kind: string;
  readonly count: number;
  /** Id of the newest. */
  readonly last: string;
}

/** Why it cannot be done so. */
export type CaseHindrance =
  | { readonly kind: 'taken'; readonly takenBy: string; readonly takenAt: Date }
  | {
      readonly kind: 'closed';
      readonly closedBy: string | null;
      readonly closedAt: Date | null;
      /** What else there is of a case. */
      readonly open: readonly AlertsOfKind[];
    }
  /** There is nothing to reopen. */
  | { readonly kind: 'not-closed' }
  /** It is not said which alerts are over, or of a kind that is named none is open, or there was never one. */
  | {
      readonly kind: 'kinds';
      readonly open: readonly AlertsOfKind[];
      readonly over: readonly string[];
      readonly never: readonly string[];
    }
  /** It is not said up to which alert somebody has looked; or that is none of the case, or none is open up to it. */
  | { readonly kind: 'unseen'; readonly open: readonly AlertsOfKind[]; readonly seen: string | undefined };

/** The alerts of a case that an act is about: a note is about all, and nothing else changes what is over. */
export function concernedBy<One extends Pick<Alert, 'state'>>(
  action: CaseAction,
  alerts: readonly One[],
): readonly One[] {
  if (action === 'note') return alerts;
  return alerts.filter(({ state }) => (state === 'closed') === (action === 'reopen'));
}

/**
 * Whoever closes a case that is about several matters says which of them are over: to have delivered a dead letter is
 * not to have got money back. Who names only what is over by now is told so, as who names nothing is.
 * @param open the alerts of the case that nobody has closed
 * @param over those that somebody has, who was last first
 */
export function kindsHindrance(
  open: readonly AlertsOfKind[],
  over: readonly (Standing & Pick<Alert, 'kind'>)[],
  closed: Closing['kinds'],
): CaseHindrance | undefined {
  if (closed === 'all') return undefined;
  const named = [...new Set(closed)];
  const missing = named.filter((kind) => !open.some((one) => one.kind === kind));
  const isClear = closed === undefined ? open.length <= 1 : missing.length === 0;
  if (isClear) return undefined;
  const closer = over.find(({ kind }) => missing.includes(kind));
  const isOver = (missed: string) => over.some(({ kind }) => kind === missed);
  if (closer === undefined || missing.length < named.length || !missing.every(isOver)) {
    const never = missing.filter((kind) => !isOver(kind));
    return { kind: 'kinds', open, over: missing.filter(isOver), never };
  }
  return { kind: 'closed', closedBy: closer.closedBy, closedAt: closer.closedAt, open };
}

/**
 * Nobody closes what came while they looked: a contradiction may be followed by another, which says that the money has
 * moved.
 * @param meant the alerts of the kinds that are over
 * @param hasSeen whether the alert that is named is one of the case
 */
export function seenHindrance(
  meant: readonly (AlertsOfKind & { readonly isSeen: boolean })[],
  hasSeen: boolean,
  { seen }: Closing,
): CaseHindrance | undefined {
  const isClear = meant.length === 0 || (hasSeen && meant.some(({ isSeen }) => isSeen));
  return isClear ? undefined : { kind: 'unseen', open: meant, seen };
}

/**
 * What keeps it from being done: who has taken an alert is not relieved of it without a word why, and of two who close it
 * one is told that it is closed.
 */
export function hindranceOf(
  { state: now, takenBy, takenAt, closedBy, closedAt }: Standing,
  { action, by, note }: NewEntry,
): CaseHindrance | undefined {
  if (action === 'reopen') return now === 'closed' ? undefined : { kind: 'not-closed' };
  if (action === 'note') return undefined;
  if (now === 'closed') return { kind: 'closed', closedBy, closedAt, open: [] };
  if (action === 'close') return undefined;
  const isAnothers = now === 'taken' && takenBy !== null && takenBy !== by;
  if (!isAnothers || note !== null || takenAt === null) return undefined;
  return { kind: 'taken', takenBy, takenAt };
}
