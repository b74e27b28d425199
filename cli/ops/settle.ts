// `isthmus ops settle`: records how a payment in doubt ended. One operator records the outcome. A second
// operator confirms the outcome by its id and status. Either operator can withdraw the outcome instead.
import { statusInWords } from '../../core/rejections/reason-words.ts';
import type { CommandContext } from '../command.ts';
import { UsageError, UserError } from '../errors.ts';
import { read, type Gateway } from '../gateway.ts';
import type { Settling, ShownEvidence, ShownOutcome } from './answers.ts';
import { tell, type JsonOption } from './connection.ts';
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
  if (options.status !== undefined) await record(context, uetr, options);
  else if (options.confirm !== undefined) await confirm(context, uetr, options);
  else await withdraw(context, uetr, options);
}

async function record(
  context: CommandContext,
  uetr: string,
  { status, reason: reasonCode, evidence: words, ...options }: SettleOptions,
): Promise<void> {
  if (words === undefined)
    throw new UsageError('--evidence is missing: say how you know, for the operator who confirms it.');
  await tell(context, options, {
    ask: (gateway) => gateway.post(`/payments/${uetr}/outcomes`, { status, evidence: words, reasonCode }),
    print: (terminal, recorded: ShownOutcome) => {
      printOutcome(terminal, recorded);
      terminal.line(
        `Nothing is decided yet: somebody else confirms it, with ops settle ${uetr} --confirm ${recorded.status} --outcome ${recorded.outcomeId}.`,
      );
    },
  });
}

async function confirm(
  context: CommandContext,
  uetr: string,
  { confirm: status, outcome: outcomeId, ...options }: SettleOptions,
): Promise<void> {
  if (outcomeId === undefined) {
    throw new UsageError(
      `--outcome is missing: ops show ${uetr} has the evidence and its id; what you have read is what you confirm.`,
    );
  }
  await tell(context, options, {
    ask: (gateway) => gateway.post(`/payments/${uetr}/outcomes/${outcomeId}/confirmation`, { status }),
    print: (terminal, { decision }: Settling) => {
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
    },
  });
}

async function withdraw(
  context: CommandContext,
  uetr: string,
  { withdraw: because, ...options }: SettleOptions,
): Promise<void> {
  await tell(context, options, {
    ask: async (gateway) => {
      const { outcomeId } = await standing(gateway, uetr);
      return gateway.post(`/payments/${uetr}/outcomes/${outcomeId}/withdrawal`, { because });
    },
    print: (terminal, all: readonly ShownOutcome[]) => {
      for (const one of all) printOutcome(terminal, one);
    },
  });
}

/** Display names of the parties that can decide a payment. */
const nameOf = {
  destination: 'a final of its destination',
  gateway: 'the gateway itself',
  operator: 'two operators',
} as const;

async function standing(gateway: Gateway, uetr: string): Promise<ShownOutcome> {
  const { outcomes: all, status } = read(await gateway.get(`/payments/${uetr}`)) as ShownEvidence;
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
