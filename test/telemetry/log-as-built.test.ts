// The log of a process as it is deployed: built, and run by node alone: nobody who does not
// read it keeps the process from its end (OBS-1, OBS-4).
import { expect, test } from 'vitest';
import { builtLog, endsUnread } from './built-log.ts';

const { programOf } = await builtLog();

test.each([400, 3_000])(
  'a process that is asked to end after %i ms ends at once, though nobody reads its log (OBS-1, OBS-4)',
  async (ms) => {
    const path = programOf(
      `unread-${ms}`,
      `setInterval(() => { for (let count = 0; count < 20; count += 1) stream.write('x'.repeat(1_000) + '\\n'); }, 20);
       setTimeout(() => process.exit(0), ${ms});`,
    );
    // the pipe of a shell, whose reader does not read
    const command = '("$0" "$1"; echo "$?" >&2) | sleep 15';
    expect(await endsUnread(command, ms + 5_000, path)).toBe('0');
  },
  20_000,
);
