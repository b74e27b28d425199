// `isthmus ops settle`: records how a payment in doubt ended. One operator records the outcome. Another confirms it by
// naming its id and status, or either operator withdraws it.
import { statusInWords } from '../../core/rejections/reason-words.ts';
import type { CommandContext } from '../command.ts';
import { UsageError, UserError } from '../errors.ts';
import { evidence, outcomes, read, recordedOutcome, settling, type ShownOutcome } from './answers.ts';
import type { JsonOption } from './commands.ts';
import { connectGateway, type Gateway } from './connection.ts';
import { printOutcome } from './show.ts';

export interface SettleOptions extends JsonOption {
  readonly status?: string;
  readonly reason?: string;
  readonly evidence?: string;
  readonly confirm?: string;
  readonly outcome?: string;
  readonly withdraw?: string;
}

export async function settle(context: CommandContext, uetr: string, options: SettleOptions): Promise<void> {
  const acts = [options.status, options.confirm, options.withdraw].filter((one) => one !== undefined);
  if (acts.length !== 1) {
    throw new UsageError(
      'Name one of --status (to record how it ended), --confirm (what somebody else recorded) and --withdraw.',
    );
  }
  const gateway = await connectGateway(context);
  if (options.status !== undefined) await record(context, gateway, uetr, options);
  else if (options.confirm !== undefined) await confirm(context, gateway, uetr, options);
  else await withdraw(context, gateway, uetr, options);
}

async function record(
  { terminal }: CommandContext,
  gateway: Gateway,
  uetr: string,
  { status, reason, evidence: words, json }: SettleOptions,
): Promise<void> {
  if (words === undefined)
    throw new UsageError('--evidence is missing: say how you know, for the operator who confirms it.');
  const text = await gateway.post(`/payments/${uetr}/outcomes`, {
    status,
    evidence: words,
    ...(reason === undefined ? {} : { reasonCode: reason }),
  });
  if (json) {
    terminal.line(text);
    return;
  }
  const outcome = read(recordedOutcome, text);
  printOutcome(terminal, outcome);
  terminal.line(
    `Nothing is decided yet: somebody else confirms it, with ops settle ${uetr} --confirm ${outcome.status} --outcome ${outcome.outcomeId}.`,
  );
}

async function confirm(
  { terminal }: CommandContext,
  gateway: Gateway,
  uetr: string,
  { confirm: status, outcome: outcomeId, json }: SettleOptions,
): Promise<void> {
  if (outcomeId === undefined) {
    throw new UsageError(
      `--outcome is missing: ops show ${uetr} has the evidence and its id; what you have read is what you confirm.`,
    );
  }
  const text = await gateway.post(`/payments/${uetr}/outcomes/${outcomeId}/confirmation`, { status });
  if (json) {
    terminal.line(text);
    return;
  }
  const { decision } = read(settling, text);
  if (decision === null) {
    terminal.line(`✓ confirmed; it is being decided. ops show ${uetr} says when it is.`);
    return;
  }
  const said = statusInWords(decision.status, decision.reasonCode);
  terminal.line(
    decision.status === status
      ? `✓ the payment is ${said}; its parties are being told. ops show ${uetr} says how that goes.`
      : terminal.paint(
          'warning',
          `! it was decided before that, by ${nameOf[decision.decidedBy]}: the payment is ${said}.`,
        ),
  );
}

async function withdraw(
  { terminal }: CommandContext,
  gateway: Gateway,
  uetr: string,
  { withdraw: because, json }: SettleOptions,
): Promise<void> {
  const { outcomeId } = await standing(gateway, uetr);
  const text = await gateway.post(`/payments/${uetr}/outcomes/${outcomeId}/withdrawal`, { because });
  if (json) terminal.line(text);
  else for (const one of read(outcomes, text)) printOutcome(terminal, one);
}

/** The decider, in words. */
const nameOf = {
  destination: 'a final of its destination',
  gateway: 'the gateway itself',
  operator: 'two operators',
} as const;

async function standing(gateway: Gateway, uetr: string): Promise<ShownOutcome> {
  const { outcomes: all, status } = read(evidence, await gateway.get(`/payments/${uetr}`));
  const one = all.find(({ withdrawnAt }) => withdrawnAt === null);
  if (one === undefined) {
    const next =
      status === 'INDOUBT'
        ? `ops settle ${uetr} --status does`
        : `there is nothing to withdraw, and it is ${status}`;
    throw new UserError(`Nobody has recorded how ${uetr} ended; ${next}.`);
  }
  return one;
}
