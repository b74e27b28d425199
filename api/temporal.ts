// The api's only access to Temporal. Starts payments, resolutions and redeliveries. Passes enquiries of the
// source and reports of the destination to payments. The database stores everything first, and this file must
// make no decisions.
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
  /** Country of the creditor agent, if it is known before validation. Only the Temporal UI shows it. */
  readonly destinationCountry: string | undefined;
  readonly priority: 'HIGH' | 'NORM';
  /**
   * How often a defect has prevented an answer to the submission. Each failed update stays in the history, so
   * the next attempt needs a new update.
   */
  readonly timesUnanswerable: number;
}

export interface ResolutionSubmission extends ResolutionRequest, StoredRequestKey {
  /** Only the Temporal UI shows it. */
  readonly destinationCountry: string | undefined;
  readonly maxResolutionSeconds: number;
  /**
   * Whether the resolution is already known. If so, the result of the first update must not be its answer.
   */
  readonly isRepeat: boolean;
}

export interface ResolutionWorkflows {
  /** Starts the resolution, or finds the running one, and waits for its answer. */
  resolve(submission: ResolutionSubmission): Promise<SubmitResult>;
  /** Starts the redelivery of all deliveries that an operator requested again. */
  redeliver(subjectId: string): Promise<void>;
}

export interface PaymentWorkflows {
  /**
   * Starts the payment, or finds the running one. Resolves with ACTC or RJCT when this submission is judged.
   */
  submit(submission: PaymentSubmission): Promise<SubmitResult>;
  /** Sends the instruction of an undecided payment to the destination again. */
  enquire(payment: StoredPaymentKey): Promise<void>;
  /** Makes the payment's workflow read the record, which may contain its outcome. */
  look(payment: StoredPaymentKey): Promise<void>;
  /**
   * Passes a stored final report of the destination to the payment.
   * @returns the decision in force; null if a defect prevented its storage
   */
  reportFinal(payment: StoredPaymentKey & { readonly reportMessageId: string }): Promise<Decision | null>;
  /** Starts the redelivery of all deliveries that an operator requested again. */
  redeliver(subjectId: string): Promise<void>;
  /** Resolves when Temporal answers. */
  check(): Promise<unknown>;
  close(): Promise<void>;
}

const defaultCallTimeoutMs = 10_000; // after a timeout, the operator sends the same message again
const probeTimeoutMs = 1_000; // a reachable Temporal server answers this within milliseconds
const maxReconnectBackoffMs = 2_000; // with gRPC's default of 2 min, a restored server seems unreachable

export interface TemporalOptions {
  /** Prefix of the names of the task queues, which isolates tests from each other. */
  readonly taskQueuePrefix?: string;
  /** Default: 10 s. */
  readonly callTimeoutMs?: number;
  /** If absent, calls have no spans. */
  readonly traces?: Traces | undefined;
}

const isTimeout = (error: unknown) =>
  error instanceof WorkflowUpdateRPCTimeoutOrCancelledError || isGrpcDeadlineError(error);

const repeatsJoinMs = 5_000;

/**
 * Each message has one update id, and all its repeats within 5 s share another. So a sender that repeats a
 * message cannot fill the workflow history.
 */
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

/** Whether a defect prevented any answer to a submission. */
const isDefect = (error: unknown) =>
  error instanceof WorkflowUpdateFailedError &&
  error.cause instanceof ApplicationFailure &&
  error.cause.nonRetryable === true;

/**
 * Reports the service as unavailable if an operator or the sweep ended the execution during a submission.
 * Nothing is lost, because a repeat of the submission is answered.
 */
function asUnavailable(error: unknown): never {
  if (error instanceof TemporalUnavailable || isDefect(error)) throw error;
  throw new TemporalUnavailable('the execution was ended meanwhile', { cause: error });
}

/**
 * Makes the functions that call Temporal. Each call has a deadline. The errors distinguish a missing answer
 * from a refusal.
 */
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

  /**
   * Makes a call that only a worker can answer.
   * @throws WorkersAway if Temporal answers but no worker does
   */
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
      // the workflow was closed or lost; a new execution takes the report and reads any decision from the
      // record
      const startWorkflowOperation = startOfPayment(payment, taskQueuePrefix);
      return callWorkers(0, () =>
        workflow.executeUpdateWithStart<PaymentWorkflow, Decision | null, ReportFinalArguments>(
          updates.reportFinal,
          { args, startWorkflowOperation },
        ),
      );
    }
  };
  // null: a defect prevented a decision in an earlier update; that result is final, so send a new update
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
            startWorkflowOperation: startOfPayment({ ...submission, isNew: true }, taskQueuePrefix),
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

/**
 * Tells Temporal about something that is stored. Nobody waits for this call, because the sweep repeats it if
 * it fails.
 */
export function passOn(
  { logger }: { readonly logger: Logger },
  subjectId: string,
  passing: Promise<void>,
): void {
  passing.catch((error: unknown) => {
    logger.warn({ err: error, subjectId }, 'the engine could not be told; the sweep goes on with it (LIF-2)');
  });
}
