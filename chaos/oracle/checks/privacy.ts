// I-14: personal data appears only in messages. The load puts canaries into names, addresses and accounts.
// The check searches for the canaries in plain and encoded form.
import type { Evidence } from '../read-evidence.ts';
import type { Report } from '../verdict.ts';
import { isPost, type World } from '../world.ts';

const messagePath = /^\/payments\/[0-9a-f-]{36}\/messages\/[^/?]+$/;

/** Tables that contain the messages themselves. */
const ofMessages: ReadonlySet<string> = new Set(['messages']);

export function judgePrivacy({ evidence }: World, report: Report): void {
  const forms = evidence.run.canaries.flatMap((canary) => formsOf(canary).map((form) => ({ canary, form })));
  const places = evidence.run.canaries.length === 0 ? [] : [...placesOf(evidence)];
  report.examined('I-14', 'files and answers', places.filter(({ bytes }) => bytes.length > 0).length);
  report.examined(
    'I-14',
    'bytes',
    places.reduce((sum, { bytes }) => sum + bytes.length, 0),
  );
  for (const { name, bytes } of places) {
    const found = forms.find(({ form }) => bytes.includes(form));
    if (found === undefined) continue;
    const at = bytes.indexOf(found.form);
    const around = bytes.subarray(Math.max(0, at - 80), at + found.form.length + 80).toString('utf8');
    report.breach('I-14', `Personal data was found outside of messages: ${found.canary}.`, name, [around]);
  }
}

interface Place {
  readonly name: string;
  readonly bytes: Buffer;
}

function* placesOf({ files, exchanges, executions, tables }: Evidence): Iterable<Place> {
  for (const { path, read } of files) yield { name: path, bytes: read() };
  yield { name: 'executions.jsonl', bytes: Buffer.from(JSON.stringify(executions)) };
  for (const exchange of exchanges) {
    // Two answers may contain names: an acmt.024 (RES-3), and a stored message that the client requested
    // (SEC-1).
    const isMessage = isPost(exchange, '/iso20022/acmt023') || messagePath.test(exchange.path);
    if (isMessage && exchange.status === 200) continue;
    const headers = Object.values(exchange.headers ?? {}).join(' ');
    const name = `answer to ${exchange.method} ${exchange.path.split('?', 1)[0] ?? ''} at ${exchange.sentAt}`;
    yield { name, bytes: Buffer.from(`${exchange.responseBody ?? ''} ${headers}`) };
  }
  for (const [table, rows] of Object.entries(tables)) {
    if (ofMessages.has(table) || rows.length === 0) continue;
    yield { name: `database/${table}.jsonl`, bytes: Buffer.from(JSON.stringify(rows)) };
  }
}

/**
 * Returns a canary as plain text, escaped for JSON and URLs, in hex, and in base64 at each of the three
 * alignments.
 */
function formsOf(canary: string): readonly Buffer[] {
  const bytes = Buffer.from(canary);
  const escaped = canary.replaceAll(/[^ -~]/g, (one) =>
    [...Array(one.length).keys()]
      .map((index) => `\\u${one.charCodeAt(index).toString(16).padStart(4, '0')}`)
      .join(''),
  );
  const inBase64 = [0, 1, 2].map((before) => {
    const encoded = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
    // Omits base64 characters that also depend on neighbouring bytes.
    const from = Math.ceil((before * 8) / 6);
    const to = Math.floor(((before + bytes.length) * 8) / 6);
    return encoded.slice(from, to);
  });
  const texts = [
    canary,
    escaped,
    encodeURIComponent(canary),
    canary.replaceAll(' ', '+'),
    bytes.toString('hex'),
    ...inBase64,
  ];
  return [...new Set(texts)].filter((text) => text.length >= 5).map((text) => Buffer.from(text));
}
