// `isthmus ops books`: lists the daily books that the gateway sent for a day, with their receivers and
// delivery state.
import type { CommandContext } from '../command.ts';
import { renderTable } from '../terminal.ts';
import type { ShownBook } from './answers.ts';
import { tell, type JsonOption } from './connection.ts';
import { shortTime } from './show.ts';

const dayMs = 86_400_000;

/** @param date `YYYY-MM-DD`; default: yesterday (UTC) */
export function listBooks(
  context: CommandContext,
  { date, ...options }: JsonOption & { readonly date?: string },
): Promise<void> {
  const day = date ?? new Date(Date.now() - dayMs).toISOString().slice(0, 10);
  return tell(context, options, {
    ask: (gateway) => gateway.get('/reconciliation/sent', { date: day }),
    print: (terminal, books: readonly ShownBook[]) => {
      if (books.length === 0) {
        terminal.line(
          `No book of ${day} is sent to anybody: nobody had registered an address by then. Books of a day are made after it has ended (UTC).`,
        );
        return;
      }
      const titles = [`book of ${day}`, 'to', 'pages taken', 'next attempt', 'how it is'];
      const rows = books.map((one) => [
        one.book,
        one.party,
        pagesOf(one),
        shortTime(one.nextDueAt),
        stateOf(one),
      ]);
      for (const line of renderTable(titles, rows)) terminal.line(line);
      for (const { book, deadPages } of books) {
        for (const { page, subjectId } of deadPages) {
          terminal.line(`! ${book}, page ${page}, was given up: ops redeliver ${subjectId} sends it again`);
        }
      }
    },
  });
}

const pagesOf = ({ pages, taken }: ShownBook): string => (pages === null ? '-' : `${taken} of ${pages}`);

function stateOf({ pages, made, taken, deadPages }: ShownBook): string {
  if (pages === null) return 'not made yet';
  if (Number(made) < Number(pages)) return `${made} made so far`;
  if (taken === pages) return 'taken';
  if (deadPages.length === Number(pages)) return 'given up';
  return deadPages.length > 0 ? 'given up in part' : 'on its way';
}
