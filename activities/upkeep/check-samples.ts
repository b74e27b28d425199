// Lets Xerces check a sample of the messages that libxml2 has judged. A different verdict raises an alert,
// because one of the engines or the schema is wrong. The verdict of libxml2 stands.
import type { Logger } from 'pino';
import type { WorkerConfig } from '../../core/settings/config.ts';
import { alertUnlessOpen, hasDetail } from '../../db/records/audit.ts';
import type { Db } from '../../db/pool/connection.ts';
import type { WorkerMetrics } from '../../telemetry/worker-metrics.ts';
import type { XmlEngine } from '../../xml/engine.ts';
import { openEngines } from '../../xml/open-engine.ts';
import { withSecondOpinion, type Judged } from '../../xml/second-opinion.ts';

interface Checking {
  readonly db: Db;
  readonly logger: Logger;
  readonly metrics: Pick<WorkerMetrics, 'checked'>;
  readonly given: XmlEngine | undefined;
  readonly closers: (() => Promise<unknown>)[];
}

/** The engine whose verdicts count. If configured, the second engine checks a sample of its verdicts. */
export async function openCheckedEngine(
  config: WorkerConfig,
  { db, logger, metrics, given, closers }: Checking,
): Promise<XmlEngine> {
  const { engine, second, inWords } = await openEngines(config, given);
  void inWords.then((which) => logger.info({ which }, 'XML engines'));
  if (config.xercesShare === 0) return engine;
  const checked = withSecondOpinion(engine, {
    share: config.xercesShare,
    second,
    onOutcome: async (outcome, judged) => {
      metrics.checked(judged.message, outcome);
      if (outcome === 'differs') await tellOfDifference(db, engine, judged);
    },
    onFailure: (error) => {
      metrics.checked('none', 'failed');
      logger.warn({ err: error }, 'a message could not be checked by the second engine');
    },
  });
  closers.push(() => {
    checked.stop();
    return Promise.resolve();
  });
  return checked.engine;
}

/** Keeps one open alert for each combination of message type, schema and verdict. */
async function tellOfDifference(db: Db, { name }: XmlEngine, judged: Judged): Promise<void> {
  const same = {
    messageType: judged.message,
    schema: judged.schema,
    verdict: judged.isValid ? 'valid' : 'invalid',
  };
  const detail = { ...same, decidedBy: name, sha256: judged.sha256 };
  await alertUnlessOpen(db, { kind: 'worker.engines-differ', detail }, hasDetail(same));
}
