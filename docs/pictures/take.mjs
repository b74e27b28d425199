// `npm run pictures`, beside a running `npm run demo`: takes the pictures of the README from the real portal.
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { chromiumPath } from '../../cli/chromium.mjs';

const url = process.argv[2] ?? 'http://127.0.0.1:8080';
if (chromiumPath === undefined) throw new Error('There is no Chromium: npm run browser');
const browser = await chromium.launch({
  executablePath: chromiumPath,
  args: ['--no-sandbox', '--disable-background-networking'],
});
const page = await browser.newPage({ viewport: { width: 1280, height: 760 } });
await page.goto(`${url}/portal/sign-in`);
await page.click('button:has-text("(operator)")');
await page.waitForSelector('h1');
await take('portal-overview.png');
await page.goto(`${url}/portal/payments`);
await page.click('tr:has-text("ACCC") td a.id');
await page.waitForSelector('svg');
await page.locator('svg').scrollIntoViewIfNeeded();
await take('portal-payment.png');
await browser.close();

/** @param {string} name */
async function take(name) {
  await page.screenshot({ path: fileURLToPath(new URL(name, import.meta.url)) });
  process.stdout.write(`✓ docs/pictures/${name}\n`);
}
