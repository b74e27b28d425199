// `npm run pay`: plays one payment of the user's choice in the running demo. It succeeds if the source
// operator receives a final status, even a rejection.
import { statusInWords } from '../../core/rejections/reason-words.ts';
import type { Environment } from '../../core/settings/environment-variables.ts';
import { exact, parseAmount } from '../../core/money/money.ts';
import type { AccountIdentification } from '../../core/iso20022/parties.ts';
import type { CommandContext } from '../command.ts';
import { demoCountries, demoPspBicsOf, demoSystems } from './scheme.ts';
import { UnansweredError, UsageError } from '../errors.ts';
import { demoSecretOf } from '../gateway-client.ts';
import { secretFrom } from '../ops/connection.ts';
import { playPayment, violationsIn, type PaymentPlan, type PlayedPayment } from './play-payment.ts';
import { findRunningDemo, paymentUrl, type RunFile } from './run-file.ts';
import type { Terminal } from '../terminal.ts';

export interface PayOptions {
  readonly from: string;
  readonly to: string;
  readonly amount: string;
  readonly currency?: string;
  readonly account: string;
  readonly priority: string;
  readonly psp?: string;
  readonly creditorPsp?: string;
  readonly capped?: true;
  readonly wait: string;
}

const noFinalStatus = 3; // differs from 1 (failure) and 2 (invalid option)

/**
 * @returns exit code 0 if the source operator received a final status; 3 if none arrived in time; 1 after any
 *   other failure
 */
export async function pay(context: CommandContext, options: PayOptions): Promise<number> {
  const { terminal } = context;
  const plan = planOf(options);
  const secretOf = secretsIn(context.env);
  const run = await findRunningDemo(context.folder);
  const { sourceCountry, destinationCountry, creditorAccount, priority } = plan;
  const account = creditorAccount.iban ?? creditorAccount.otherId ?? '';
  terminal.line(
    terminal.paint(
      'heading',
      `${sourceCountry} to ${destinationCountry}, ${priority}, creditor account ${account}`,
    ),
  );
  const isOwn = isOwnDestination(run, destinationCountry);
  if (isOwn) {
    terminal.line(
      `The operator of ${destinationCountry} is your own program: the lines below do not show what it receives`,
    );
  }
  const onSubmitting = (uetr: string) => {
    context.interruption.handTo((exitCode) => leave(terminal, run, { uetr, exitCode }));
  };
  try {
    const payment = await playPayment({ run, terminal, secretOf, onSubmitting }, plan);
    terminal.line();
    return conclude(terminal, run, payment);
  } catch (error) {
    if (!(error instanceof UnansweredError)) throw error;
    terminal.line();
    terminal.line(terminal.paint('warning', `! ${error.message}`));
    return noFinalStatus;
  }
}

/**
 * Returns a function that finds the secret of a client. The secret of the client in ISTHMUS_CLIENT_ID comes
 * from the environment. All other clients have their demo secret.
 */
function secretsIn(env: Environment): (clientId: string) => string {
  const secret = secretFrom(env);
  return (clientId) =>
    clientId === env['ISTHMUS_CLIENT_ID'] && secret !== '' ? secret : demoSecretOf(clientId);
}

function isOwnDestination(run: RunFile, destinationCountry: string): boolean {
  return demoSystems.some(
    ({ countryCodes, operatorId }) =>
      countryCodes.includes(destinationCountry) && run.replaced.operators[operatorId] !== undefined,
  );
}

/**
 * @throws UsageError for an invalid option
 * @internal exported for tests
 */
export function planOf(options: PayOptions): PaymentPlan {
  const sourceCountry = country('--from', options.from);
  const destinationCountry = country('--to', options.to);
  if (sourceCountry === destinationCountry) throw new UsageError('--from and --to must be two countries.');
  if (parseAmount(options.amount) === undefined) {
    throw new UsageError(
      `--amount ${options.amount}: write it in plain digits, as in 250 or 250.50 (MON-1).`,
    );
  }
  if (!exact(options.amount).gt(exact('0')))
    throw new UsageError(`--amount ${options.amount}: must be more than 0, as in 250.`);
  const priority = options.priority.toUpperCase();
  if (priority !== 'HIGH' && priority !== 'NORM') throw new UsageError('--priority is HIGH or NORM.');
  const waitSeconds = Number(options.wait);
  if (!(waitSeconds > 0 && waitSeconds <= 3_600)) throw new UsageError('--wait takes seconds, 1 to 3600.');
  return {
    sourceCountry,
    destinationCountry,
    amount: options.amount,
    ...(options.currency === undefined ? {} : { amountCurrency: options.currency.toUpperCase() }),
    creditorAccount: creditorAccountOf(options.account),
    priority,
    debtorAgent: debtorAgent(sourceCountry, options.psp ?? `LOTU${sourceCountry}S0`),
    creditorAgent: (options.creditorPsp ?? `LOTU${destinationCountry}S0`).toUpperCase(),
    acceptsCapped: options.capped === true,
    waitSeconds,
  };
}

function country(option: string, text: string): string {
  const code = text.toUpperCase();
  if (demoCountries.includes(code)) return code;
  throw new UsageError(`${option} ${text}: the demo has ${demoCountries.join(', ')}.`);
}

/**
 * Checks only that the PSP exists. The gateway checks that it is a member of the source country's payment
 * system.
 */
function debtorAgent(sourceCountry: string, text: string): string {
  const bic = text.toUpperCase();
  if (demoCountries.flatMap(demoPspBicsOf).includes(bic)) return bic;
  throw new UsageError(
    `--psp ${text}: the PSPs of ${sourceCountry} in the demo are ${demoPspBicsOf(sourceCountry).join(', ')}.`,
  );
}

// prefix for a short account of four digits, to make the usual ten digits
const shortAccountPrefix = '660000';

/**
 * Reads the creditor's account. Its last four digits choose the destination's behaviour. `...0003`, `…0003`
 * and `0003` are short for `6600000003`.
 */
function creditorAccountOf(text: string): AccountIdentification {
  const given = text.replace(/^(\.+|…)/, '');
  if (/^\d{1,4}$/.test(given)) return { otherId: shortAccountPrefix + given.padStart(4, '0') };
  if (/^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/.test(given)) return { iban: given };
  if (/^[A-Za-z0-9-]{5,34}$/.test(given)) return { otherId: given };
  throw new UsageError(`--account ${text}: give an account number, or its last four digits, as in ...0003.`);
}

const goesOn = 'The payment continues by itself. Do not pay again: that would be a second payment.';

/** Ends the command after Ctrl-C. The submitted payment continues. */
function leave(
  terminal: Terminal,
  run: RunFile,
  { uetr, exitCode }: { readonly uetr: string; readonly exitCode: number },
): never {
  terminal.line();
  terminal.line(terminal.paint('warning', `! Stopped waiting. ${goesOn}`));
  sayWhereToLook(terminal, run, uetr);
  process.exit(exitCode);
}

function sayWhereToLook(terminal: Terminal, run: RunFile, uetr: string): void {
  terminal.line(`  Watch this one: ${paymentUrl(run, uetr) ?? `workflow pacs008/${uetr}`}`);
  terminal.line(`  or: npm run ops -- show ${uetr}`);
}

function conclude(terminal: Terminal, run: RunFile, payment: PlayedPayment): number {
  const { final, missing, entries, uetr } = payment;
  const violations = violationsIn(entries);
  for (const violation of violations) terminal.line(terminal.paint('bad', `✗ ${violation}`));
  if (final === undefined) {
    terminal.line(terminal.paint('warning', `! No final status in time. ${goesOn}`));
    sayWhereToLook(terminal, run, uetr);
    terminal.line('  To wait longer: --wait <seconds>');
    return noFinalStatus;
  }
  const { status, reasonCode } = final;
  // if the user's own server replaces a destination, there is no journal to read
  const seesDestination = Object.keys(run.replaced.operators).length === 0;
  terminal.line(
    `${meaningOf(final, entries, seesDestination)}: ${terminal.paint('heading', statusInWords(status, reasonCode))}`,
  );
  terminal.line(`  UETR ${uetr}, workflow ${paymentUrl(run, uetr) ?? `pacs008/${uetr}`}`);
  terminal.line(`  In the portal: ${run.apiUrl}/portal/payments/${uetr}`);
  for (const what of missing) terminal.line(terminal.paint('bad', `✗ Not yet seen: ${what}`));
  return violations.length === 0 && missing.length === 0 ? 0 : 1;
}

/**
 * Explains whether money moved, according to the final status and the destination's journal.
 * @param seesDestination whether `entries` contains the destination's journal
 * @internal exported for tests
 */
export function meaningOf(
  { status, ruleId }: NonNullable<PlayedPayment['final']>,
  entries: PlayedPayment['entries'],
  seesDestination = true,
): string {
  const booked = (what: string) =>
    entries.some((entry) => entry.direction === 'booked' && entry.status === what);
  if (status === 'RJCT' && ruleId === 'TIM-1' && !booked('moved')) {
    const hasArrived = entries.some((one) => one.direction === 'received' && one.kind === 'pacs008');
    // Without the destination's journal, it is unknown whether the destination credited the payment.
    return hasArrived || !seesDestination
      ? 'Rejected; if the destination has credited it, it must return it'
      : 'Rejected; it had never reached its destination';
  }
  if (status !== 'RJCT' || !booked('moved')) return meanings[status] ?? status;
  return booked('reversed')
    ? 'Rejected, and the amount that had been credited was returned'
    : 'Rejected, but the amount that was credited has not been returned yet';
}

const meanings: Readonly<Partial<Record<string, string>>> = {
  ACCC: 'Credited',
  RJCT: 'Rejected, no money moved',
  BLCK: 'Blocked, neither credited nor returned',
};
