// `npm run demo` and `npm start`: run Isthmus with the embedded servers until Ctrl-C. `npm run demo` first
// plays one payment.
import { once } from 'node:events';
import { printAddresses, printClients } from './addresses.ts';
import type { CommandContext } from '../command.ts';
import { secondsSince } from '../parts/progress.ts';
import { playPayment, violationsIn, type PaymentPlan, type PlayedPayment } from './play-payment.ts';
import { parseReplacements } from './replacements.ts';
import { paymentUrl } from './run-file.ts';
import { startSystem, type RunningSystem } from './system.ts';
import type { Terminal } from '../terminal.ts';

export interface DemoOptions {
  /** Whether to play a payment after the start. */
  readonly plays: boolean;
  /** Whether to stop after the payment. */
  readonly once: boolean;
  /** Replaced destinations, such as `MY=http://127.0.0.1:9000`. */
  readonly destination: readonly string[];
  /** Replaced FX providers, such as `MERISGS0=http://127.0.0.1:9001`. */
  readonly fxp: readonly string[];
}

/**
 * The payment of the demo. For an account that ends in 0002, the destination answers 202 and reports ACCC 300
 * ms later, as most real systems do.
 */
export const demoPlan: PaymentPlan = {
  sourceCountry: 'SG',
  destinationCountry: 'TH',
  amount: '1000',
  amountCurrency: 'SGD',
  creditorAccount: { otherId: '6600000002' },
  priority: 'NORM',
  debtorAgent: 'LOTUSGS0',
  creditorAgent: 'LOTUTHS0',
  acceptsCapped: false,
  waitSeconds: 60, // enough for a busy machine; the payment takes half a second
};

/** @returns the exit code of the command */
export async function demo(context: CommandContext, options: DemoOptions): Promise<number> {
  const { terminal } = context;
  const say = (line: string) => terminal.line(paintLine(terminal, line));
  const started = performance.now();
  const replaced = parseReplacements(options.destination, options.fxp);
  say(`▶ Starting Isthmus in ${context.folder}`);
  const system = await startSystem({ ...context, replaced, say });
  const asked = new AbortController();
  context.interruption.handTo(() => asked.abort());
  say(`✓ Isthmus is up after ${secondsSince(started)}`);
  const code = await runUntilAsked(context, { system, options, asked });
  terminal.line();
  say('▶ Stopping (Ctrl-C again ends everything at once)');
  const stopping = performance.now();
  await system.stop();
  say(`✓ Stopped (${secondsSince(stopping)})`);
  return code;
}

interface Running {
  readonly system: RunningSystem;
  readonly options: DemoOptions;
  readonly asked: AbortController;
}

async function runUntilAsked({ terminal }: CommandContext, running: Running): Promise<number> {
  const { system, options, asked } = running;
  let broken: string | undefined;
  void system.broken.then((how) => {
    broken = how;
    asked.abort();
  });
  printAddresses(terminal, system.run);
  printClients(terminal);
  let code = 0;
  if (options.plays) {
    const isGood = await playDemo(terminal, system, asked.signal).catch((error: unknown) => {
      terminal.line(terminal.paint('bad', `✗ ${error instanceof Error ? error.message : String(error)}`));
      return false;
    });
    if (!isGood) code = 1;
  }
  if (!(options.plays && options.once) && !asked.signal.aborted) {
    terminal.line();
    terminal.line('Isthmus runs until Ctrl-C.');
    await once(asked.signal, 'abort');
    if (!options.once) code = 0; // Ctrl-C is the normal end of a demo
  }
  if (broken === undefined) return code;
  terminal.line(terminal.paint('bad', `✗ ${broken} Start the demo again.`));
  return 1;
}

/** @returns whether every step succeeded */
async function playDemo(terminal: Terminal, system: RunningSystem, signal: AbortSignal): Promise<boolean> {
  terminal.line();
  terminal.line(
    terminal.paint('heading', 'One payment: 1,000 SGD from Singapore to Thailand, Lotus Bank to Lotus Bank'),
  );
  const payment = await playPayment({ run: system.run, terminal, signal }, demoPlan);
  terminal.line();
  const faults = faultsOf(payment);
  for (const fault of faults) terminal.line(terminal.paint('bad', `✗ ${fault}`));
  if (faults.length > 0) return false;
  terminal.line(terminal.paint('good', `✓ Credited, and every party was told the same.`));
  const link = paymentUrl(system.run, payment.uetr);
  if (link !== undefined) terminal.line(`  Its workflow: ${link}`);
  terminal.line(
    `  See it in the portal, signed in by one click: ${system.run.apiUrl}/portal/payments/${payment.uetr}`,
  );
  return true;
}

/** Describes what went wrong with the payment of the demo. */
export function faultsOf({ answer, final, entries, missing }: PlayedPayment): readonly string[] {
  const faults = missing.map((what) => `Missing: ${what}. The logs of the processes say why.`);
  if (answer.status !== 'ACTC') faults.push(`The submission was answered ${answer.status} instead of ACTC.`);
  if (final !== undefined && final.status !== 'ACCC')
    faults.push(`The payment ended ${final.status}, not ACCC.`);
  return [...faults, ...violationsIn(entries)];
}

function paintLine(terminal: Terminal, line: string): string {
  const mark = line.slice(0, 1);
  const style = { '✓': 'good', '✗': 'bad', '!': 'warning', '▶': 'heading' } as const;
  return mark in style ? terminal.paint(style[mark as keyof typeof style], mark) + line.slice(1) : line;
}
