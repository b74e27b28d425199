// With SEALING_KEYS, whoever has the database or its files reads nothing of the people in payments
// (SEC-3, I-14); whoever changes what is stored has it sent to nobody; and everybody else notices nothing.
import { randomBytes, randomUUID } from 'node:crypto';
import type { Dirent } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connect } from '../../db/pool/connection.ts';
import { beginSealing, vaultPlugin } from '../../db/keys/vault.ts';
import { recordReceived } from '../../db/records/messages.ts';
import { wrapDeliveryKeys } from '../../db/keys/delivery-keys.ts';
import { buildPacs008, type OriginalPacs008 } from '../../core/iso20022/build-pacs008.ts';
import { instruction } from '../../fixtures/instruction.ts';
import { ask, proxyRequest } from '../harness/asker.ts';
import { evidenceOf } from '../harness/evidence.ts';
import { testGateway } from '../harness/gateway.ts';
import { askFor } from '../harness/offers.ts';
import { bestQuote, submit, submitXml } from '../harness/payer.ts';
import { rewritten } from '../harness/rewritten.ts';
import { eventually } from '../harness/wait.ts';

const sealingKeys = `of-now:${randomBytes(32).toString('base64')}`;
const gateway = await testGateway({ sealingKeys });
const { db } = gateway;
const evidence = evidenceOf(gateway);

// words that no other test has, in files that all tests share
const canaries = {
  debtor: 'Xochipilli Lim',
  creditor: 'Xochiquetzal Chai',
  debtorAccount: 'SEALED-DBTR-7781',
  creditorAccount: 'SEALED-CDTR-0001',
  remittance: 'SEALED-FOR-THE-BIRDS',
};
const words = ['Xochi', 'SEALED-'];
/** Control: stored by a process without keys. */
const unsealedWord = 'Coatlicue-unsealed';

const people: Partial<OriginalPacs008> = {
  debtor: { name: canaries.debtor, townName: 'Singapore', country: 'SG' },
  creditor: { name: canaries.creditor, townName: 'Bangkok', country: 'TH' },
  debtorAccount: { otherId: canaries.debtorAccount },
  creditorAccount: { otherId: canaries.creditorAccount },
  remittanceInformation: canaries.remittance,
};
const another = async (changes: Partial<OriginalPacs008> = {}) =>
  instruction(await bestQuote(gateway), { ...people, ...changes });

const echoed: string[] = [];
/** A source that answers callbacks with what it got, and an error. */
const echo = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const body = Buffer.concat(chunks).toString();
    echoed.push(body);
    response.writeHead(500).end(`${canaries.debtor}: ${body}`);
  });
});
const echoOrigin = () => `http://127.0.0.1:${(echo.address() as AddressInfo).port}`;
afterAll(() => void echo.close());

describe('a database and its files, in other hands', () => {
  let message: OriginalPacs008;

  beforeAll(async () => {
    message = await another();
    for (const one of [message, await another({ creditorAccount: { otherId: 'SEALED-CDTR-0003' } })]) {
      await submit(gateway, one);
      await evidence.arrival(one.uetr, 'source', 'pacs002');
    }
    await evidence.arrival(message.uetr, 'fxp', 'fxtr017');
    await ask(gateway, proxyRequest('+66800000001'));
    await submitXml(
      gateway,
      buildPacs008({ ...message, debtor: { ...message.debtor, name: 'Xochi Other' } }),
    );
    await refusedReport(message.uetr);
    await answeredWithNames();
    await recordReceived(db, {
      subjectId: randomUUID(),
      type: 'pacs008',
      messageIdentification: 'CONTROL',
      leg: 'source',
      party: 'SGDFAST',
      body: Buffer.from(unsealedWord),
    });
  });

  /** A report that does not count is kept, sealed. */
  async function refusedReport(uetr: string): Promise<void> {
    const text = `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pacs.002.001.15"><FIToFIPmtStsRpt><GrpHdr><MsgId>M</MsgId></GrpHdr><TxInfAndSts><OrgnlUETR>${uetr}</OrgnlUETR><TxSts>${canaries.creditor}</TxSts></TxInfAndSts></FIToFIPmtStsRpt></Document>`;
    const response = await fetch(`${gateway.url}/iso20022/pacs002`, {
      method: 'POST',
      headers: {
        'content-type': 'application/xml',
        authorization: `Bearer ${await gateway.token('THBPPAY')}`,
      },
      body: text,
    });
    expect(response.status).toBe(422);
  }

  /** An excerpt of an answer that repeats a name. */
  async function answeredWithNames(): Promise<void> {
    await new Promise<void>((resolve) => echo.listen(0, '127.0.0.1', resolve));
    const origin = echoOrigin();
    await sql`insert into operator_callback_origins (operator_id, origin)
      select operator_id, ${origin} from clearing_systems where clearing_system_id = 'SGDFAST'`.execute(db);
    const one = await another();
    await eventually(async () => {
      const { httpStatus } = await submit(gateway, one, { callbackUrl: `${origin}/` });
      expect(httpStatus).toBe(200);
    });
    await eventually(async () => {
      const { rows } = await sql`select from delivery_attempts where excerpt_key_id is not null`.execute(db);
      expect(rows.length).toBeGreaterThan(0);
    });
    const shown = await get(`/payments/${one.uetr}`, 'operator');
    expect(shown.toString()).toContain(`${canaries.debtor}: `);
  }

  async function get(path: string, client: string): Promise<Buffer> {
    const headers = { authorization: `Bearer ${await gateway.token(client)}` };
    const response = await fetch(`${gateway.url}${path}`, { headers });
    expect(response.status, path).toBe(200);
    return Buffer.from(await response.arrayBuffer());
  }

  test('no row of any table has a word of them, as text or in bytes', async () => {
    const tables = await sql<{ name: string }>`
      select relname as name from pg_class
      where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition`.execute(
      db,
    );
    expect(tables.rows.length).toBeGreaterThan(60);
    const found: string[] = [];
    for (const { name } of tables.rows) {
      const { rows } = await sql<{ row: string }>`select t::text as row from ${sql.table(name)} t`.execute(
        db,
      );
      for (const { row } of rows) {
        const asBytes = row.replace(/\\+x((?:[0-9a-f]{2})+)/g, (_hex, digits: string) =>
          Buffer.from(digits, 'hex').toString('latin1'),
        );
        for (const word of [...words, unsealedWord])
          if (asBytes.includes(word)) found.push(`${name}: ${word}`);
      }
    }
    expect(found).toEqual([`message_bodies: ${unsealedWord}`]); // what a process without keys stored is found
  });

  test('no file of the database, its log of changes included, of which a backup is made', async () => {
    await sql`checkpoint`.execute(db);
    const { dataFolder: folder } = await askFor('database');
    if (folder === undefined) return; // the server is not ours
    const found = new Set<string>();
    let files = 0;
    for (const entry of await filesIn(folder)) {
      if (!entry.isFile() || entry.name === 'postmaster.pid') continue;
      const bytes = await readIfThere(join(entry.parentPath, entry.name));
      files += 1;
      for (const word of [...words, unsealedWord]) if (bytes.includes(word)) found.add(word);
    }
    expect(files).toBeGreaterThan(1_000);
    expect([...found]).toEqual([unsealedWord]);
  });

  test('those who may, read every message as it was', async () => {
    const { messages } = JSON.parse((await get(`/payments/${message.uetr}`, 'operator')).toString()) as {
      messages: { href: string | null; size: number }[];
    };
    const shown = messages.filter(({ href }) => href !== null);
    expect(shown.length).toBeGreaterThan(5);
    for (const { href, size } of shown) expect(await get(href ?? '', 'operator')).toHaveLength(size);
  });
});

// The gateway runs in this process, so reading must not block it.

/** Other test files drop their databases meanwhile, which ends a reading of the whole folder. */
async function filesIn(folder: string, tries = 10): Promise<Dirent[]> {
  try {
    return await readdir(folder, { recursive: true, withFileTypes: true });
  } catch (error) {
    if (tries === 0) throw error;
    return filesIn(folder, tries - 1);
  }
}

async function readIfThere(path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch {
    return Buffer.alloc(0); // dropped meanwhile
  }
}

describe('somebody who changes what is stored', () => {
  /** As somebody who can write into the table: the sealed bytes of another message. */
  const swapped = (messageId: string) =>
    rewritten(
      db,
      sql`update message_bodies set body = (select body from message_bodies where key_id is not null and message_id <> ${messageId} limit 1)
      where message_id = ${messageId}`,
    );

  /** The same, with a text of their own in the clear, as if it were from before there were keys. */
  const replaced = (messageId: string) =>
    rewritten(
      db,
      sql`update message_bodies set body = '<Document>1</Document>', key_id = null where message_id = ${messageId}`,
    );

  test.each([
    ['by the seal of another', swapped],
    ['by a text without a seal', replaced],
  ])(
    'a submission that was changed before it was judged, %s, is not judged: it is answered RJCT NARR, and an alert tells of it (SEC-9)',
    async (_how, changed) => {
      await gateway.stopWorker();
      const message = await another();
      const submitting = submit(gateway, message);
      const stored = await eventually(async () => {
        const { rows } = await sql<{ message_id: string }>`
        select message_id from messages where subject_id = ${message.uetr}`.execute(db);
        expect(rows).toHaveLength(1);
        return rows[0]?.message_id ?? '';
      });
      // the submission itself: it cannot be judged, and is answered (SEC-9)
      await changed(stored);
      await gateway.startWorker();
      expect((await submitting).report?.status).toBe('RJCT');
      const events = await evidence.audit(message.uetr);
      const ofASlowMachine = 'sweep.started-again'; // the sweep at the start of the worker may be first
      expect(events.filter((kind) => kind !== ofASlowMachine)).toEqual(['message.defect']);
      expect(await evidence.decision(message.uetr)).toMatchObject({ status: 'RJCT', reason_code: 'NARR' });
    },
  );

  test.each([
    ['by the seal of another', swapped],
    ['by a text without a seal', replaced],
  ])('a callback that was changed, %s, is told to nobody', async (_how, changed) => {
    const message = await another();
    await submit(gateway, message, { callbackUrl: `${echoOrigin()}/` });
    const callback = await eventually(async () => {
      const { rows } = await sql<{ message_id: string }>`
        select message_id from deliveries where subject_id = ${message.uetr} and kind = 'callback' and attempts > 0`.execute(
        db,
      );
      expect(rows).toHaveLength(1);
      return rows[0]?.message_id ?? '';
    });
    await changed(callback);
    await eventually(async () => {
      expect(await evidence.audit(message.uetr)).toContain('message.changed');
    });
    const told = echoed.length;
    const attempts = await eventually(async () => {
      const found = (await evidence.attempts(message.uetr, 'callback')).filter(
        ({ error_class: error }) => error === 'message-changed',
      );
      expect(found.length).toBeGreaterThan(1);
      return found;
    });
    expect(attempts.every(({ outcome }) => outcome === 'NOT_SENT')).toBe(true);
    expect(echoed.slice(told).filter((body) => body.includes(message.uetr))).toEqual([]);
    expect((await evidence.audit(message.uetr)).filter((kind) => kind === 'message.changed')).toHaveLength(1);
  });
});

test('another key takes over while everything runs (restarts one after the other)', async () => {
  const [, old = ''] = sealingKeys.split(':');
  const keys = [
    { keyId: 'of-tomorrow', key: randomBytes(32).toString('base64') },
    { keyId: 'of-now', key: old },
  ];
  const vault = vaultPlugin({ keys, seals: true }, () => undefined);
  const next = connect(gateway.databaseUrl, { applicationName: 'isthmus-test', maxConnections: 2, vault });
  try {
    await beginSealing(next);
    await wrapDeliveryKeys(next, true);
    const one = await another();
    const { report } = await submit(gateway, one, { prefer: 'wait=20' }); // processes that have the old key only
    expect(report?.status).toBe('ACCC');
  } finally {
    await next.destroy();
  }
});
