// How the portal writes times, amounts and durations.
import { html } from 'hono/html';
import type { HtmlEscapedString } from 'hono/utils/html';

export type Html = HtmlEscapedString | Promise<HtmlEscapedString> | string;

export const none = '–';

/** UTC to the millisecond on hover; the script writes it in the reader's zone. */
export function time(iso: string | null | undefined): Html {
  if (iso === null || iso === undefined) return none;
  const utc = `${iso.slice(0, 19).replace('T', ' ')} UTC`;
  return html`<time datetime="${iso}" title="${iso.replace('T', ' ').replace('Z', ' UTC')}">${utc}</time>`;
}

/** The time left, which the script counts down. */
export function countdown(iso: string): Html {
  return html`<time
    datetime="${iso}"
    data-until="${iso}"
    title="${iso.replace('T', ' ').replace('Z', ' UTC')}"
    >${iso.slice(11, 19)} UTC</time
  >`;
}

export interface Amount {
  /** A number, or the text of one that JavaScript would round. */
  readonly amount: number | string;
  readonly currency: string;
}

export type DecimalsOf = (currency: string) => number;

/** `SGD 1,000.00`, with the decimals of the currency, and never fewer than there are. */
export function money(value: Amount | null | undefined, decimalsOf: DecimalsOf): Html {
  if (value === null || value === undefined) return none;
  return html`<span class="money"
    >${value.currency} ${grouped(value.amount, decimalsOf(value.currency))}</span
  >`;
}

/** With the decimals of the currency. Text keeps every digit: Intl formats it exactly. */
export function grouped(amount: number | string, decimals: number): string {
  const format = new Intl.NumberFormat('en', { minimumFractionDigits: decimals, maximumFractionDigits: 20 });
  return format.format(amount as number); // the types lack the text, which ECMA-402 takes
}

/** `850 ms`, `4.2 s`, `12 min`, `3 h 20 min`, `2 d 4 h` */
export function duration(ms: number | null | undefined): string {
  if (ms === null || ms === undefined) return none;
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  const rest = (number: number, unit: string) => (number === 0 ? '' : ` ${number} ${unit}`);
  return hours < 48
    ? `${hours} h${rest(minutes % 60, 'min')}`
    : `${Math.floor(hours / 24)} d${rest(hours % 24, 'h')}`;
}

/** The time since then, as a duration. */
export const ageOf = (iso: string): string => duration(Math.max(0, Date.now() - Date.parse(iso)));

/** `97.5 %` */
export const share = (part: number, whole: number): string =>
  whole === 0 ? none : `${((part / whole) * 100).toFixed(1)} %`;

/** A time as the pages print it, in UTC or with an offset, in the form that the API takes. Other text is left as it is. */
export function instantOf(text: string): string {
  const printed =
    /^(?<day>\d{4}-\d\d-\d\d)[ T](?<time>\d\d:\d\d)(?::(?<seconds>\d\d))?(?: (?:UTC|GMT)(?:(?<sign>[+-])(?<hours>\d{1,2})(?::(?<minutes>\d\d))?)?)?$/;
  const {
    day,
    time,
    seconds = '00',
    sign,
    hours = '',
    minutes = '00',
  } = printed.exec(text.trim())?.groups ?? {};
  if (day === undefined || time === undefined) return text;
  const offset = sign === undefined ? 'Z' : `${sign}${hours.padStart(2, '0')}:${minutes}`;
  return `${day}T${time}:${seconds}${offset}`;
}
