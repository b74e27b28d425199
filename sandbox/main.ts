/**
 * Entry file of the sandbox process (`node dist/sandbox.js`; `sandbox` profile in docker-compose.yml). It
 * reads the environment and starts the parties.
 */
import { ConfigurationError } from '../core/settings/environment-variables.ts';
import { parseSandboxEnvironment } from './environment.ts';
import clearingSystems from '../db/seed/clearing-systems.json' with { type: 'json' };
import type { Log } from './options.ts';
import { startSandbox } from './sandbox.ts';
import { readSigningKeys } from './signed-messages.ts';
import { openConfiguredEngine } from '../xml/open-engine.ts';
import { clientCredentials } from './tokens.ts';

const log: Log = (event, fields) =>
  void process.stdout.write(`${JSON.stringify({ at: new Date().toISOString(), event, ...fields })}\n`);

async function main(): Promise<void> {
  const { tokenUrl, signingKeysDirectory, usageGuideline, ...settings } = parseSandboxEnvironment(
    process.env,
  );
  const systems = clearingSystems.map(({ clearingSystemId }) => clearingSystemId);
  const sandbox = await startSandbox({
    ...settings,
    ...(signingKeysDirectory !== undefined && {
      signingKeys: readSigningKeys(signingKeysDirectory, systems),
    }),
    engine: await openConfiguredEngine({ xsdEngine: 'libxml2', usageGuideline }),
    clearingSystems,
    tokens: clientCredentials({ tokenUrl }),
    log,
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      sandbox.close().catch((error: unknown) => {
        log('failed', { error: String(error) });
        process.exitCode = 1;
      });
    });
  }
  const { source, destination, fxProvider } = sandbox;
  log('listening', { source: source.url, destination: destination.url, fxProvider: fxProvider.url });
}

main().catch((error: unknown) => {
  const message = error instanceof ConfigurationError ? error.message : error;
  process.stderr.write(`isthmus sandbox did not start: ${String(message)}\n`);
  process.exit(1); // otherwise the servers that have already started would keep the process alive
});
