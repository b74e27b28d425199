/**
 * Simulates the other parties of a payment as real HTTP servers: source operators, destination operators and
 * FX providers. They exchange ISO 20022 messages with the gateway and share no state with it. The gateway's
 * reference data must contain their addresses.
 */
import { createLibxml2Engine } from '../xml/libxml2.ts';
import { messages } from '../core/iso20022/messages.ts';
import { destinationOperators, takeConfirmation, type DestinationOperator } from './destination-operator.ts';
import { fxProviders } from './fx-provider.ts';
import { problem, startPartyServer, type PartyAnswer, type PartyRequest, type PartyServer } from './http.ts';
import { readJournal } from './journal-file.ts';
import { openJournal, type Journal, type NewEntry } from './journal.ts';
import { openLedger } from './ledger.ts';
import { messageReader, pacs002Values, warmUp } from './messages.ts';
import { defaultTimings, type SandboxOptions } from './options.ts';
import { openOutbound, type Outbound } from './outbound.ts';
import { openPerformance } from './performance.ts';
import type { PartyTools } from './party.ts';
import { openResolutionParty } from './resolution-party.ts';
import { restoreLedger } from './restore-ledger.ts';
import { checkSignaturesBy, type SignatureFault } from './signatures.ts';
import { sourceOperators } from './source-operator.ts';

export interface Sandbox {
  readonly journal: Journal;
  /** Each server answers `GET /health`. `refuse` or `POST /control` makes it refuse requests. */
  readonly source: Pick<PartyServer, 'url' | 'refuse'>;
  readonly destination: Pick<PartyServer, 'url' | 'refuse'>;
  readonly fxProvider: Pick<PartyServer, 'url' | 'refuse'>;
  /**
   * Base address of a destination operator. The gateway appends `/iso20022/pacs008`, `/iso20022/pacs002` or
   * `/iso20022/acmt023`.
   */
  destinationUrl(operatorId: string): string;
  /** Address of a source operator for callbacks, used as `pacs002Endpoint` or `acmt024Endpoint`. */
  callbackUrl(clearingSystemId: string, message?: 'pacs002' | 'acmt024'): string;
  /** Base address of an FX provider. The gateway appends `/iso20022/fxtr017`. */
  fxpBaseUrl(fxpBic: string): string;
  /** The full address at which an FX provider receives its fxtr.017. */
  notificationUrl(fxpBic: string): string;
  close(): Promise<void>;
}

export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const { clearingSystems, journalDirectory } = options;
  const journal = openJournal(journalDirectory === undefined ? {} : { directory: journalDirectory });
  const { engine = createLibxml2Engine(), validate = true } = options;
  if (validate) await warmUp(engine);
  const reader = messageReader(engine, validate);
  const outbound = openOutbound(options.tokens, options.signingKeys ?? new Map());
  const tools: PartyTools = { journal, reader };
  const operators = await openOperators(options, tools, outbound);
  const systemIds = new Set(clearingSystems.map((one) => one.clearingSystemId));

  const servers = await startServers(options, [
    { port: options.ports?.source ?? 0, answer: sourceOperators(systemIds, tools), journal },
    { port: options.ports?.destination ?? 0, answer: destinationOperators(operators, tools), journal },
    { port: options.ports?.fxProvider ?? 0, answer: fxProviders(tools), journal },
  ]);
  const [source, destination, fxProvider] = servers as [PartyServer, PartyServer, PartyServer];
  const fxpBaseUrl = (fxpBic: string) => `${fxProvider.url}/${fxpBic}`;
  return {
    journal,
    source,
    destination,
    fxProvider,
    destinationUrl: (operatorId) => `${destination.url}/${operatorId}`,
    callbackUrl: (clearingSystemId, message = 'pacs002') =>
      `${source.url}/callbacks/${clearingSystemId}/${message}`,
    fxpBaseUrl,
    notificationUrl: (fxpBic) => `${fxpBaseUrl(fxpBic)}/iso20022/fxtr017`,
    close: async () => {
      await Promise.all([outbound.close(), ...servers.map((server) => server.close())]);
      await journal.close();
    },
  };
}

interface ServerPlan {
  readonly port: number;
  readonly answer: (request: PartyRequest) => Promise<PartyAnswer>;
  readonly journal: Journal;
}

/** Starts all servers. If one cannot start, for example because its port is in use, it closes the others. */
async function startServers(
  options: SandboxOptions,
  plans: readonly ServerPlan[],
): Promise<readonly PartyServer[]> {
  const { host = '127.0.0.1', instanceId, gatewayKeysUrl, log = () => undefined } = options;
  const signatures = gatewayKeysUrl === undefined ? undefined : checkSignaturesBy(gatewayKeysUrl);
  const results = await Promise.allSettled(
    plans.map(({ port, answer, journal }) => {
      const onRefused = (request: PartyRequest, status: number) =>
        void journal.record(refusedEntry(request, status));
      const verified = async (request: PartyRequest) => {
        const fault = await signatures?.fault(request.webhookHeaders, request.body);
        return fault === undefined ? answer(request) : refuseUnsigned(journal, request, fault);
      };
      return startPartyServer({ host, port, instanceId, log, answer: verified, onRefused });
    }),
  );
  const started = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  const failed = results.find((result) => result.status === 'rejected');
  if (failed === undefined) return started;
  await Promise.all(started.map((server) => server.close()));
  throw failed.reason;
}

/**
 * Refuses a request without a valid signature of the gateway. It journals the bytes of the request without
 * parsing them.
 */
function refuseUnsigned(
  journal: Journal,
  request: PartyRequest,
  { httpStatus, detail }: SignatureFault,
): PartyAnswer {
  const entry = refusedEntry(request, httpStatus);
  journal.record(httpStatus === 401 ? { ...entry, violation: detail } : { ...entry, note: detail });
  return problem(httpStatus, detail);
}

/**
 * Builds the journal entry of a refused request. The entry contains the bytes of the request, which are not
 * parsed.
 */
function refusedEntry(request: PartyRequest, httpStatus: number): NewEntry {
  const kind = Object.values(messages).find((one) => one.name === request.path.at(-1))?.name ?? 'unknown';
  const bytes = request.body;
  return {
    party: 'refused',
    direction: 'received',
    kind,
    httpStatus,
    bytes,
    headers: request.webhookHeaders,
    note: `/${request.path.join('/')}`,
  };
}

async function openOperators(
  options: SandboxOptions,
  tools: PartyTools,
  outbound: Outbound,
): Promise<ReadonlyMap<string, DestinationOperator>> {
  const { clearingSystems, journalDirectory, log = () => undefined } = options;
  const { journal, reader } = tools;
  const timings = { ...defaultTimings, ...options.timings };
  const operators = new Map<string, DestinationOperator>();
  for (const operatorId of new Set(clearingSystems.map((one) => one.operatorId))) {
    const party = `destination/${operatorId}`;
    const own = clearingSystems.filter((one) => one.operatorId === operatorId);
    const systems = new Map(own.map((one) => [one.clearingSystemId, one]));
    const ledger = openLedger();
    const performance = openPerformance({
      party,
      journal,
      outbound,
      timings,
      log,
      isCancelled: (uetr) => ledger.isCancelled(uetr),
      onConfirmation: async ({ uetr }, bytes) => {
        const entry: NewEntry = {
          party,
          direction: 'received',
          kind: 'pacs002',
          bytes,
          note: 'in the HTTP answer',
        };
        const reading = await reader.read(bytes, 'pacs002', pacs002Values);
        if (reading.ok) takeConfirmation({ ledger, performance }, reading.value, entry, tools);
        else
          journal.record({ ...entry, uetr, violation: `PAY-9: no confirmation: ${reading.refusal.detail}` });
      },
    });
    const delay = () => outbound.after(timings.interimDelayMs);
    const resolution = openResolutionParty({ ...tools, party, delay });
    const operator = { party, systems, ledger, performance, resolution };
    if (journalDirectory !== undefined)
      await restoreLedger(operator, readJournal(journalDirectory, party), reader);
    operators.set(operatorId, operator);
  }
  return operators;
}
