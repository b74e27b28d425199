// GET /payments/{uetr}/messages/{messageId}: a side reads the messages of its own leg, as they were sent to the byte,
// and no others (SEC-1, I-13).
import type { Report } from '../verdict.ts';
import type { World } from '../world.ts';
import { legsOf } from './sides.ts';

export const messagePath = /^\/payments\/([0-9a-f-]{36})\/messages\/([^/?]+)$/;

export function judgeShownMessages(world: World, report: Report): void {
  const shown = world.evidence.exchanges.flatMap((exchange) => {
    const [, uetr, id] = messagePath.exec(exchange.path) ?? [];
    if (exchange.method !== 'GET' || exchange.status !== 200) return [];
    return uetr === undefined || id === undefined ? [] : [{ exchange, uetr, id }];
  });
  report.examined('R:SEC-1', 'messages of payments that were shown', shown.length);
  for (const { exchange, uetr, id } of shown) {
    const stored = world.messageOf.get(id);
    const by = [`message ${id}`, `to ${exchange.client}`];
    if (stored === undefined || stored.row.subject_id !== uetr) {
      report.breach('I-10', 'A message of a payment was shown that is not on record of it.', uetr, by);
      continue;
    }
    if (exchange.responseBody !== stored.text.replace(/^\uFEFF/, ''))
      // its reader takes a byte order mark away
      report.breach('I-4', 'A message was shown otherwise than it was sent.', uetr, by);
    const payment = world.paymentOf.get(uetr);
    const legs = payment === undefined ? undefined : legsOf(world, payment, exchange.client);
    if (legs !== undefined && !legs.includes(stored.row.leg))
      report.breach('R:SEC-1', 'A message was shown to a side that has no part in it.', uetr, [
        ...by,
        `leg ${stored.row.leg}`,
      ]);
  }
}
