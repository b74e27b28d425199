// The picture of a payment: a line down for each party, and an arrow for each message in the order of time.
import { html } from 'hono/html';
import type { z } from '@hono/zod-openapi';
import type { evidenceSchema } from '../../payments/payment-schemas.ts';
import { duration, type Html } from '../format.ts';
import type { Visit } from '../visit.ts';

export type Evidence = z.output<typeof evidenceSchema>;

const width = 900;
const rowHeight = 34;
const top = 30;
const most = 60; // messages in one picture; the table has all

const xOf = { source: 130, isthmus: 380, destination: 630, fxp: 820 } as const;

export function lanes(
  { t }: Visit,
  { messages, sourceClearingSystem, destinationClearingSystem }: Evidence,
): Html {
  const shown = messages.slice(0, most);
  const height = top + shown.length * rowHeight + 16;
  const fxp = messages.find(({ leg }) => leg === 'fxp')?.party;
  const names = [
    [xOf.source, sourceClearingSystem],
    [xOf.isthmus, 'Isthmus'],
    [xOf.destination, destinationClearingSystem ?? ''],
    ...(fxp === undefined ? [] : [[xOf.fxp, fxp] as const]),
  ] as const;
  const begin = shown[0] === undefined ? 0 : Date.parse(shown[0].at);
  return html`<svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${t.payment.pictureSays}">
    ${names.map(
      ([x, name]) =>
        html`<text x="${x}" y="16" text-anchor="middle">${name}</text
          ><line class="party" x1="${x}" y1="24" x2="${x}" y2="${height}"></line>`,
    )}
    ${shown.map((message, index) => {
      const y = top + index * rowHeight + 22;
      const there = xOf[message.leg];
      const [from, to] = message.direction === 'in' ? [there, xOf.isthmus] : [xOf.isthmus, there];
      const tip =
        from < to
          ? `${to},${y} ${to - 9},${y - 5} ${to - 9},${y + 5}`
          : `${to},${y} ${to + 9},${y - 5} ${to + 9},${y + 5}`;
      const label = [message.message.slice(0, 8), message.status ?? '', message.reasonCode ?? '']
        .join(' ')
        .trim();
      return html`<line class="arrow" x1="${from}" y1="${y}" x2="${to}" y2="${y}"></line
        ><polygon class="head" points="${tip}"></polygon>
        <text x="${(from + to) / 2}" y="${y - 6}" text-anchor="middle">${label}</text>
        <text class="late" x="4" y="${y + 4}">+${duration(Date.parse(message.at) - begin)}</text>`;
    })}
  </svg>`;
}
