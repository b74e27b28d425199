// The measured process of `npm run bench -- quotes` and `limits`. It serves the api without the ISO 20022
// endpoints on one port, and two bare Hono routes on another port for comparison. It prints its addresses and
// tokens as one line of JSON.
import { randomUUID } from 'node:crypto';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import pg from 'pg';
import { pino } from 'pino';
import { createApp } from '../api/app.ts';
import { createAuthenticator } from '../api/auth/authenticator.ts';
import { openBuiltinIssuer } from '../api/auth/issuer.ts';
import { startServer } from '../api/http/server.ts';
import { unlimited } from '../core/settings/config.ts';
import type { ApiConfig } from '../core/settings/config.ts';
import { connect } from '../db/pool/connection.ts';
import { openReferenceCache } from '../db/scheme/reference-cache.ts';

export interface QuotesServerLine {
  readonly api: string;
  readonly bare: string;
  /** Clients of the PSPs in the source country. Each client has its own rate limit (SEC-7). */
  readonly payers: readonly Payer[];
}

export interface Payer {
  readonly bic: string;
  readonly token: string;
}

const clientsOfEach = 10;
const maxConnections = 20; // database connections, the same for the api and the bare routes

async function serveApi(
  databaseUrl: string,
  messagesPerMinute: number,
): Promise<{ url: string; payers: readonly Payer[] }> {
  const issuer = { issuer: 'https://bench.test', audience: 'https://bench.test' };
  const config: ApiConfig = {
    databaseUrl,
    logLevel: 'warn',
    temporal: { address: 'unused', namespace: 'default' },
    host: '127.0.0.1',
    port: 0,
    publicUrl: 'https://bench.test',
    auth: { kind: 'builtin', ...issuer },
    demo: true,
    drainSeconds: 0,
    corsOrigins: [],
    serves: 'payments',
    xsdEngine: 'libxml2',
    xercesShare: 0,
    allowLoopbackCallbacks: false,
    deliveryKeyDays: 90,
    issuerKeyDays: 0,
    portal: {},
    fourEyes: true,
    ...unlimited,
    senderLimits: { ...unlimited.senderLimits, messagesPerMinute },
  };
  const logger = pino({ level: 'warn' });
  const db = connect(databaseUrl, { applicationName: 'isthmus-bench-api', maxConnections });
  const reference = await openReferenceCache(databaseUrl, (error) => {
    throw error;
  });
  const builtin = await openBuiltinIssuer(db, {
    ...issuer,
    clock: Date.now,
    reference: reference.current,
  });
  const auth = createAuthenticator(config.auth, {
    reference: reference.current,
    logger,
    clock: Date.now,
    // accepts tokens of clients that are not in the seed data
    builtin: { ...builtin, stands: () => Promise.resolve(true) },
  });
  const knownSender = (authorization: string) => auth.knownSender(authorization);
  const app = createApp({ db, reference, config, auth, logger });
  const server = await startServer(app, { ...config, logger, knownSender });
  const payers: Payer[] = [];
  for (const { bics, countryCode, institutionId, onboarded, roles } of reference
    .current()
    .institutions.values()) {
    const [bic] = bics;
    if (countryCode !== 'SG' || !onboarded || !roles.includes('psp') || bic === undefined) continue;
    for (let nth = 1; nth <= clientsOfEach; nth += 1) {
      const clientId = `${bic}-${nth}`;
      payers.push({ bic, token: await builtin.issue({ role: 'psp', clientId, institutionId }) });
    }
  }
  if (payers.length === 0) throw new Error('the seed data is not there');
  return { url: `http://127.0.0.1:${server.port}`, payers };
}

/**
 * Serves the bare routes. `/insert` writes one row as large as that of a quote request. `/json` returns text
 * as long as the answer about a country.
 */
async function serveBare(databaseUrl: string, sizes: { rowBytes: number; json: string }): Promise<string> {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: maxConnections });
  const row = 'x'.repeat(sizes.rowBytes);
  const app = new Hono();
  app.get('/insert', async (context) => {
    const id = randomUUID();
    const { rows } = await pool.query<{ at: Date }>(
      'insert into bench_rows (id, at, body) values ($1, now(), $2) returning at',
      [id, row],
    );
    return context.json({ id, at: rows[0]?.at });
  });
  const value: unknown = JSON.parse(sizes.json);
  app.get('/json', (context) => context.json(value));
  return new Promise((resolve) => {
    serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) => {
      resolve(`http://127.0.0.1:${port}`);
    });
  });
}

const [databaseUrl, rowBytes, json, messagesPerMinute = '0'] = process.argv.slice(2);
if (databaseUrl === undefined || rowBytes === undefined || json === undefined) {
  throw new Error('started by bench/quotes.ts with a database, a row size and a JSON text');
}
const api = await serveApi(databaseUrl, Number(messagesPerMinute));
const bare = await serveBare(databaseUrl, { rowBytes: Number(rowBytes), json });
console.log(JSON.stringify({ api: api.url, payers: api.payers, bare } satisfies QuotesServerLine));
process.once('SIGTERM', () => {
  process.exit(0); // exit normally, so that a profiler can write its data
});
