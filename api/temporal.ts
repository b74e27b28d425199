// The only way from the api to Temporal. It starts payments, resolutions and redeliveries. It hands payments the
// enquiries of their source and the reports of their destination. The database stores everything before that, and this
// file must decide nothing.
import { randomUUID } from 'node:crypto';
import {
  Client,
  Connection,
  WithStartWorkflowOperation,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
  isGrpcDeadlineError,
  type WorkflowClientInterceptor,
} from '@temporalio/client';
import { ApplicationFailure, type Headers } from '@temporalio/common';
import type { Logger } from 'pino';
import type { TemporalConfig } from '../core/settings/config.ts';
import type { Decision } from '../core/payments/decision.ts';
import type { ResolutionRequest } from '../contract/activities.ts';
import { temporalServer } from '../contract/server.ts';
import {
  paymentWorkflowId,
  signals,
  updates,
  workflowTypes,
  type PaymentWorkflow,
  type ReportFinalArguments,
  type ResolutionWorkflow,
  type ResolveArguments,
  type SubmitArguments,
  type SubmitResult,
} from '../contract/ids.ts';
import {
  paymentStart,
  redeliveryStart,
  resolutionStart,
  submitUpdate,
  type StoredPaymentKey,
  type StoredRequestKey,
} from '../contract/starts.ts';
import type { Traces, OpenSpan } from '../telemetry/traces.ts';
import { TemporalUnavailable, WorkersAway } from './http/problems/failures.ts';
import { withTrace } from '../contract/trace.ts';

export interface PaymentSubmission extends StoredPaymentKey {
  /** Country of the creditor agent, if it is known before validation: for the Temporal UI. */
  readonly destinationCountry: string | undefined;
  /**
   * How often a defect has kept it from being answered. Each of those updates stands, so a new one is needed.
   */
  readonly timesUnanswerable: number;
}

export interface ResolutionSubmission extends ResolutionRequest, StoredRequestKey {
  /** For the Temporal UI. */
  readonly destinationCountry: string | undefined;
  readonly maxResolutionSeconds: number;
  /** Whether the resolution is known already: then the result of the first update must not answer it. */
  readonly isRepeat: boolean;
}

export interface ResolutionWorkflows {
  /** Starts the resolution, or finds it, and waits for its answer. */
  resolve(submission: ResolutionSubmission): Promise<SubmitResult>;
  /** Starts the redelivery of deliveries that were requested again. */
  redeliver(subjectId: string): Promise<void>;
}

export interface PaymentWorkflows {
  /** Starts the payment, or finds it. Resolves once this submission is judged: ACTC or RJCT. */
  submit(submission: PaymentSubmission): Promise<SubmitResult>;
  /** Sends the instruction of an undecided payment to the destination once more. */
  enquire(payment: StoredPaymentKey): Promise<void>;
  /** Makes a payment read the record, which may say how it ended. */
  look(payment: StoredPaymentKey): Promise<void>;
  /**
   * Hands a stored final report of the destination to the payment.
   * @returns the decision that stands; null if a defect kept it from being written
   */
  reportFinal(payment: StoredPaymentKey & { readonly reportMessageId: string }): Promise<Decision | null>;
  /** Starts the redelivery of deliveries that were requested again. */
  redeliver(subjectId: string): Promise<void>;
  /** Resolves when Temporal answers. */
  check(): Promise<unknown>;
  close(): Promise<void>;
}

const defaultCallTimeoutMs = 10_000; // after that, the operator sends the same message again
const probeTimeoutMs = 1_000; // Temporal answers this within milliseconds, or is unreachable
const maxReconnectBackoffMs = 2_000; // gRPC's default of two minutes would make a restored server seem unreachable

export interface TemporalOptions {
  /** Prefix of the task queues' names, which keeps tests apart. */
  readonly taskQueuePrefix?: string;
  /** Default: 10 s. */
  readonly callTimeoutMs?: number;
  /** Absent: calls have no spans. */
  readonly traces?: Traces | undefined;
}

const isTimeout = (error: unknown) =>
  error instanceof WorkflowUpdateRPCTimeoutOrCancelledError || isGrpcDeadlineError(error);

const repeatsJoinMs = 5_000;

/** One update id per message, and one for its repeats within 5 s: a sender's repeats must not fill the history. */
const updateIdOf = ({ messageId, isRepeat }: ResolutionSubmission) =>
  isRepeat ? `${messageId} ${Math.floor(Date.now() / repeatsJoinMs)}` : messageId;

function startOfPayment(payment: Parameters<typeof paymentStart>[0], taskQueuePrefix: string) {
  return new WithStartWorkflowOperation<PaymentWorkflow>(
    workflowTypes.payment,
    paymentStart(payment, taskQueuePrefix),
  );
}

function startOfResolution(request: Parameters<typeof resolutionStart>[0], taskQueuePrefix: string) {
  return new WithStartWorkflowOperation<ResolutionWorkflow>(
    workflowTypes.resolution,
    resolutionStart(request, taskQueuePrefix),
  );
}

/** Whether a defect kept a submission from being answered at all. */
const isDefect = (error: unknown) =>
  error instanceof WorkflowUpdateFailedError &&
  error.cause instanceof ApplicationFailure &&
  error.cause.nonRetryable === true;

/** If an operator or the sweep ended the execution during a submission, nothing is lost: a repeat is answered. */
function asUnavailable(error: unknown): never {
  if (error instanceof TemporalUnavailable || isDefect(error)) throw error;
  throw new TemporalUnavailable('the execution was ended meanwhile', { cause: error });
}

/** Calls to Temporal. Each has a deadline, and a missing answer is distinguished from a refusal. */
function callsOn(connection: Connection, callTimeoutMs: number) {
  const ask = () => connection.workflowService.getSystemInfo({});
  const answers = () =>
    connection.withDeadline(Date.now() + probeTimeoutMs, ask).then(
      () => true,
      () => false,
    );

  async function call<T>(waitMs: number, work: () => Promise<T>): Promise<T> {
    try {
      return await connection.withDeadline(Date.now() + callTimeoutMs + waitMs, work);
    } catch (error) {
      if (error instanceof WorkflowNotFoundError || error instanceof WorkflowUpdateFailedError) throw error;
      throw new TemporalUnavailable('Temporal did not answer', { cause: error });
    }
  }

  /** A call that only a worker can answer. @throws WorkersAway if Temporal answers and no worker does */
  async function callWorkers<T>(waitMs: number, work: () => Promise<T>): Promise<T> {
    try {
      return await call(waitMs, work);
    } catch (error) {
      const isLate = error instanceof TemporalUnavailable && isTimeout(error.cause);
      if (!isLate || !(await answers())) throw error;
      throw new WorkersAway(`no worker answered within ${(callTimeoutMs + waitMs) / 1_000} s`);
    }
  }

  return { ask, call, callWorkers };
}

interface Calls {
  readonly client: Client;
  readonly callWorkers: ReturnType<typeof callsOn>['callWorkers'];
  readonly taskQueuePrefix: string;
}

async function handFinal(
  { client, callWorkers, taskQueuePrefix }: Calls,
  { reportMessageId, ...payment }: StoredPaymentKey & { readonly reportMessageId: string },
): Promise<Decision | null> {
  const { workflow } = client;
  const args: ReportFinalArguments = [{ reportMessageId }];
  const hand = async (updateId: string) => {
    try {
      return await callWorkers(0, () =>
        workflow
          .getHandle(paymentWorkflowId(payment.uetr))
          .executeUpdate<Decision | null, ReportFinalArguments>(updates.reportFinal, { updateId, args }),
      );
    } catch (error) {
      if (!(error instanceof WorkflowNotFoundError)) throw error;
      // closed meanwhile, or lost: a new execution takes the report, and the record decides
      const startWorkflowOperation = startOfPayment(payment, taskQueuePrefix);
      return callWorkers(0, () =>
        workflow.executeUpdateWithStart<PaymentWorkflow, Decision | null, ReportFinalArguments>(
          updates.reportFinal,
          { args, startWorkflowOperation },
        ),
      );
    }
  };
  // null: a defect kept an earlier update from deciding, and its result stands, so try a new update
  return (await hand(reportMessageId)) ?? hand(randomUUID());
}

export async function connectTemporal(
  config: TemporalConfig,
  { taskQueuePrefix = '', callTimeoutMs = defaultCallTimeoutMs, traces }: TemporalOptions = {},
): Promise<PaymentWorkflows & ResolutionWorkflows> {
  const connection = await Connection.connect({
    ...temporalServer(config, (pem) => Buffer.from(pem)),
    channelArgs: { 'grpc.max_reconnect_backoff_ms': maxReconnectBackoffMs },
  });
  const client = new Client({
    connection,
    namespace: config.namespace,
    ...(traces && { interceptors: { workflow: [traceEngineCalls(traces)] } }),
  });

  const { ask, call, callWorkers } = callsOn(connection, callTimeoutMs);

  return {
    submit: (submission) =>
      callWorkers(0, () =>
        client.workflow.executeUpdateWithStart<PaymentWorkflow, SubmitResult, SubmitArguments>(
          updates.submit,
          {
            ...submitUpdate(submission, submission.timesUnanswerable),
            startWorkflowOperation: startOfPayment(submission, taskQueuePrefix),
          },
        ),
      ).catch(asUnavailable),
    resolve: (submission) =>
      callWorkers(submission.maxResolutionSeconds * 1_000, () =>
        client.workflow.executeUpdateWithStart<ResolutionWorkflow, SubmitResult, ResolveArguments>(
          updates.resolve,
          {
            updateId: updateIdOf(submission),
            args: [{ messageId: submission.messageId }],
            startWorkflowOperation: startOfResolution(submission, taskQueuePrefix),
          },
        ),
      ),
    enquire: async (payment) => {
      const options = { ...paymentStart(payment, taskQueuePrefix), signal: signals.enquire };
      await call(0, () => client.workflow.signalWithStart(workflowTypes.payment, options));
    },
    look: async (payment) => {
      const options = { ...paymentStart(payment, taskQueuePrefix), signal: signals.look };
      await call(0, () => client.workflow.signalWithStart(workflowTypes.payment, options));
    },
    reportFinal: (report) => handFinal({ client, callWorkers, taskQueuePrefix }, report),
    redeliver: async (subjectId) => {
      const options = redeliveryStart(subjectId, taskQueuePrefix);
      await call(0, () => client.workflow.signalWithStart(workflowTypes.redelivery, options));
    },
    check: () => call(0, ask),
    close: () => connection.close(),
  };
}

function traceEngineCalls(traces: Traces): WorkflowClientInterceptor {
  const client = { kind: 'client' } as const;
  const under = ({ traceparent }: OpenSpan, headers: Headers) => withTrace(headers, { traceparent });
  return {
    startUpdateWithStart: (input, next) =>
      traces.within(`start ${input.workflowType}, update ${input.updateName}`, client, (span) =>
        next({
          ...input,
          workflowStartHeaders: under(span, input.workflowStartHeaders),
          updateHeaders: under(span, input.updateHeaders),
        }),
      ),
    startUpdate: (input, next) =>
      traces.within(`update ${input.updateName}`, client, (span) =>
        next({ ...input, headers: under(span, input.headers) }),
      ),
    signalWithStart: (input, next) =>
      traces.within(`start ${input.workflowType}, signal ${input.signalName}`, client, (span) =>
        next({ ...input, headers: under(span, input.headers) }),
      ),
  };
}

/** Tells Temporal about something that is on record. Nobody waits for it: if it fails, the sweep takes over. */
export function passOn(
  { logger }: { readonly logger: Logger },
  subjectId: string,
  passing: Promise<void>,
): void {
  passing.catch((error: unknown) => {
    logger.warn({ err: error, subjectId }, 'the engine could not be told; the sweep goes on with it (LIF-2)');
  });
}
