/**
 * Alerts and their handling (OBS-6). An operator's act is recorded for one alert, or for a case: a payment or
 * resolution with all its alerts so far. A later alert opens the case again.
 */

export const caseActions = ['take', 'note', 'close', 'reopen'] as const;
export type CaseAction = (typeof caseActions)[number];

/** `open`: nobody handles the alert. `taken`: an operator handles it. `closed`: nothing is left to do. */
export const alertStates = ['open', 'taken', 'closed'] as const;
export type AlertState = (typeof alertStates)[number];

/** An operator's act on record. */
export interface CaseEntry {
  /** The alert that the act concerns; null if it concerns the whole case. */
  readonly alertId: string | null;
  /** The alerts that the act concerns, at most a hundred; empty if the case had no alert. */
  readonly alerts: readonly { readonly alertId: string; readonly kind: string }[];
  /** The number of alerts that the act concerns, which may exceed a hundred. */
  readonly alertCount: number;
  readonly action: CaseAction;
  /** Client id of the operator. */
  readonly by: string;
  readonly note: string | null;
  readonly at: Date;
}

export interface Alert {
  readonly alertId: string;
  readonly at: Date;
  readonly severity: 'alert' | 'security';
  readonly kind: string;
  /** UETR of the payment, or id of the resolution, that the alert is about; null if it is about neither. */
  readonly subjectId: string | null;
  readonly party: string | null;
  readonly detail: unknown;
  readonly state: AlertState;
  /** The operator who handles the alert, and the start time; null if nobody handles it. */
  readonly takenBy: string | null;
  readonly takenAt: Date | null;
  /** The operator who closed the alert, and the time; null if it is not closed. */
  readonly closedBy: string | null;
  readonly closedAt: Date | null;
}

/** The state of an alert, or of several alerts in the same state, after the last act. */
export type Standing = Pick<Alert, 'state' | 'takenBy' | 'takenAt' | 'closedBy' | 'closedAt'>;

export interface AlertFilter {
  readonly states: readonly AlertState[];
  readonly severity?: 'alert' | 'security';
  readonly kind?: string;
  /** All names of the party. The filter matches an alert under any of them. */
  readonly parties?: readonly string[];
  readonly subjectId?: string;
  readonly takenBy?: string;
  readonly from?: Date;
  readonly to?: Date;
}

/** Every action but `take` needs a note, so that the next shift knows the reason. */
export function needsNote(action: CaseAction): boolean {
  return action !== 'take';
}

/** The act that an operator requests. */
export interface NewEntry {
  readonly action: CaseAction;
  readonly by: string;
  readonly note: string | null;
}

/** The open alerts of a case that an operator declares finished. */
export interface Closing {
  /**
   * The kinds of alerts that are finished, or `all`. It may be undefined if all open alerts are of one kind.
   */
  readonly kinds: readonly string[] | 'all' | undefined;
  /** Id of the last alert that the operator has seen; later ones stay open. */
  readonly seen: string | undefined;
}

/** Number of alerts of one kind. */
export interface AlertsOfKind {
  readonly kind: string;
  readonly count: number;
  /** Id of the newest alert. */
  readonly last: string;
}

/** Why an act is refused. */
export type CaseHindrance =
  | { readonly kind: 'taken'; readonly takenBy: string; readonly takenAt: Date }
  | {
      readonly kind: 'closed';
      readonly closedBy: string | null;
      readonly closedAt: Date | null;
      /** The alerts of the case that are still open. */
      readonly open: readonly AlertsOfKind[];
    }
  /** Nothing in the case is closed, so nothing can be reopened. */
  | { readonly kind: 'not-closed' }
  /** The operator did not say which kinds are finished, or named a kind that has no open alert. */
  | {
      readonly kind: 'kinds';
      readonly open: readonly AlertsOfKind[];
      readonly over: readonly string[];
      readonly never: readonly string[];
    }
  /** `seen` is missing, is not an alert of the case, or is older than every open alert. */
  | { readonly kind: 'unseen'; readonly open: readonly AlertsOfKind[]; readonly seen: string | undefined };

/**
 * The alerts of a case that an act concerns. A note concerns all, `reopen` the closed ones, other acts the
 * open or taken ones.
 */
export function concernedBy<One extends Pick<Alert, 'state'>>(
  action: CaseAction,
  alerts: readonly One[],
): readonly One[] {
  if (action === 'note') return alerts;
  return alerts.filter(({ state }) => (state === 'closed') === (action === 'reopen'));
}

/**
 * An operator who closes a case with open alerts of several kinds must name the finished kinds. For example, a
 * delivered dead letter does not mean that money came back. If all named kinds are closed already, the hindrance is
 * `closed`.
 * @param open the open alerts of the case
 * @param over its closed alerts, most recently closed first
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
 * An operator cannot close alerts that came after the last one seen. For example, a second contradiction may say that
 * the money has moved.
 * @param meant the alerts of the finished kinds
 * @param hasSeen whether `seen` is an alert of the case
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
 * An operator who takes over another operator's alert must give the reason in a note. If two operators close
 * the same alert, the second one learns that it is closed already.
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
