// What `isthmus ops` prints against a gateway of the test, as its operator.
import type { CommandContext } from '../../cli/command.ts';
import type { TestGateway } from '../harness/gateway.ts';

export interface Ops {
  readonly lines: string[];
  /** @param env beside what names the gateway and its operator, or in place of it */
  readonly context: (env?: Readonly<Record<string, string>>) => CommandContext;
  /** As Ctrl-C, for a command that runs until then, though the process of the test goes on. */
  readonly interrupt: () => void;
}

export function opsOn(gateway: Pick<TestGateway, 'url'>): Ops {
  const lines: string[] = [];
  let isAsked = false;
  return {
    lines,
    context: (env = {}) => ({
      env: {
        ISTHMUS_URL: gateway.url,
        ISTHMUS_CLIENT_ID: 'operator',
        ISTHMUS_CLIENT_SECRET: 'demo-operator',
        ...env,
      },
      root: '/nowhere',
      folder: '/nowhere',
      terminal: { width: 120, line: (line = '') => void lines.push(line), paint: (_, painted) => painted },
      interruption: {
        handTo: () => (isAsked = false),
        isAsked: () => isAsked,
        letStop: () => Promise.resolve(),
      },
    }),
    interrupt: () => (isAsked = true),
  };
}
