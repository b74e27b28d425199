// A real browser: Debian's Chromium, by playwright-core. `npm run browser` installs it where it may.
import { chromium, type Browser, type Page } from 'playwright-core';
import axe from 'axe-core';
import { afterAll, expect, onTestFinished } from 'vitest';
import { chromiumPath } from '../../cli/chromium.mjs';

/** Without a browser the tests of pages are left out, and say so; where ISTHMUS_BROWSER=required is set, they fail. */
export const hasBrowser = chromiumPath !== undefined || process.env['ISTHMUS_BROWSER'] === 'required';
if (!hasBrowser) {
  process.stderr.write(
    'NO BROWSER: the tests of the portal in a browser are skipped. `npm run browser` installs Chromium.\n',
  );
}

/** Without these, Chromium asks its makers' hosts, which a closed network refuses one by one. */
const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

let launched: Promise<Browser> | undefined;

/** One browser for a test file; it is closed after the file's tests. */
function browser(): Promise<Browser> {
  if (launched === undefined) {
    if (chromiumPath === undefined)
      throw new Error('ISTHMUS_BROWSER=required, and there is none: npm run browser');
    launched = chromium.launch({ executablePath: chromiumPath, args: flags });
    afterAll(async () => {
      const closing = launched;
      launched = undefined;
      await (await closing)?.close();
    });
  }
  return launched;
}

export interface Reader {
  readonly page: Page;
  /** Errors of the console, and of scripts. */
  readonly errors: readonly string[];
}

export interface ReaderOptions {
  readonly width?: number;
  readonly isDark?: boolean;
  readonly javaScript?: boolean;
}

/** A person with a browser of their own, signed in to the portal at `url`. */
export async function signedIn(
  { url, clientId, secret = `demo-${clientId}` }: { url: string; clientId: string; secret?: string },
  { width = 1280, isDark = false, javaScript = true }: ReaderOptions = {},
): Promise<Reader> {
  const context = await (
    await browser()
  ).newContext({
    viewport: { width, height: 900 },
    colorScheme: isDark ? 'dark' : 'light',
    javaScriptEnabled: javaScript,
    baseURL: url,
  });
  onTestFinished(() => context.close()); // an open page keeps its stream, and the browser busy
  const page = await context.newPage();
  const errors: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text());
  });
  page.on('pageerror', (error) => errors.push(error.message));
  await page.goto('/portal/sign-in');
  await page.fill('#client_id', clientId);
  await page.fill('#client_secret', secret);
  await page.click('button:has-text("Sign in")');
  await expect.poll(() => new URL(page.url()).pathname).toBe('/portal');
  return { page, errors };
}

/** What axe finds wrong with a page for people who use a keyboard or a screen reader, or see little. */
export async function violations(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source);
  return page.evaluate(async () => {
    const found = await (globalThis as unknown as { axe: typeof axe }).axe.run();
    return found.violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(' ')}`);
  });
}

/** Whether one must scroll sideways to read the page; tables scroll by themselves. */
export const isTooWide = (page: Page): Promise<boolean> =>
  page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth');
