// Every page of the portal for every role, in a real browser: at three widths, light and dark; `npm test` takes two of the four.
import { beforeAll, describe, expect, test } from 'vitest';
import { addRefusedSignatures } from '../../db/records/refused-signatures.ts';
import { endingIn } from '../../fixtures/endings.ts';
import { instruction } from '../../fixtures/instruction.ts';
import { hasBrowser, isTooWide, signedIn, violations } from '../harness/browser.ts';
import { testGateway } from '../harness/gateway.ts';
import { bestQuote, submit } from '../harness/payer.ts';
import { samples } from '../harness/only-in-all.ts';
import { visitor } from './visitor.ts';

const gateway = await testGateway();
let uetr = '';
const lastWhy = 'Content-Digest is missing.';

beforeAll(async () => {
  const message = instruction(await bestQuote(gateway));
  uetr = message.uetr;
  await submit(gateway, message, { prefer: 'wait=10' });
  const lastAt = new Date();
  const day = lastAt.toISOString().slice(0, 10);
  await addRefusedSignatures(gateway.db, [{ partyId: 'SGDFAST', day, number: 3, lastAt, lastWhy }]);
});

const pagesOf = {
  operator: [
    '/portal',
    '/portal/payments',
    '/portal/payments?state=done&sort=-amount',
    '/portal/payments/{uetr}',
    '/portal/submissions',
    '/portal/alerts',
    '/portal/parties',
    '/portal/changes',
    '/portal/scheme',
    '/portal/scheme/fee-formulas',
    '/portal/scheme/fee-formulas/TH:THB',
    '/portal/scheme/clients/LOTUSGS0',
    '/portal/readiness/THBPPAY',
    '/portal/keys',
    '/portal/books',
    '/portal/rules/PAY-7',
  ],
  SGDFAST: [
    '/portal',
    '/portal/payments',
    '/portal/payments/{uetr}',
    '/portal/submissions',
    '/portal/books',
    '/portal/check',
  ],
  THBPPAY: ['/portal', '/portal/payments/{uetr}'],
  LOTUSGS0: [
    '/portal',
    '/portal/payments',
    '/portal/payments/{uetr}',
    '/portal/quotes?from=SG/SGD&to=TH/THB&amount=1000&side=source',
    '/portal/books',
  ],
  MERISGS0: ['/portal', '/portal/rates?sourceCountry=SG&destinationCountry=TH', '/portal/books'],
} as const;

const looks = [
  { width: 390, isDark: false },
  { width: 1280, isDark: true },
  { width: 768, isDark: true },
  { width: 1280, isDark: false },
].slice(0, samples(2, 4));

describe.runIf(hasBrowser).each(Object.entries(pagesOf))('the pages of %s', (clientId, paths) => {
  test.each(looks)(
    'read well at $width pixels, dark: $isDark, by keyboard and screen reader too',
    async (look) => {
      const { page, errors } = await signedIn({ url: gateway.url, clientId }, look);
      for (const path of paths) {
        const answer = await page.goto(path.replace('{uetr}', uetr));
        expect(answer?.status(), path).toBe(200);
        expect(await page.locator('h1').count(), path).toBe(1);
        expect(await isTooWide(page), `${path} is too wide`).toBe(false);
        expect(await violations(page), path).toEqual([]);
      }
      expect(errors).toEqual([]);
    },
  );
});

test.runIf(hasBrowser)(
  'a payment on its page has every message, decision and delivery that its record has',
  async () => {
    const { page } = await signedIn({ url: gateway.url, clientId: 'operator' });
    await page.goto(`/portal/payments/${uetr}`);
    const text = await page.locator('main').innerText();
    for (const part of [
      'SGD 1,000.00',
      'THB 24,900.00',
      'pacs.008.001.13',
      'fxtr.017.001.06',
      'said by the destination',
    ]) {
      expect(text).toContain(part);
    }
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.click('text=Download the evidence'),
    ]);
    expect(download.suggestedFilename()).toBe(`payment-${uetr}.json`);
  },
);

test('refused signatures show on the first page of their payment system and for operators, and for no other', async () => {
  const page = async (clientId: string, path: string) =>
    (await (await visitor(gateway.url).signIn(clientId)).get(path)).text();
  const label = 'Messages refused for their signature today (UTC)';
  for (const text of [await page('SGDFAST', '/portal'), await page('operator', '/portal/parties')]) {
    expect(text).toContain(label);
    expect(text).toContain(lastWhy);
  }
  expect(await page('THBPPAY', '/portal')).not.toContain(label);
});

test('a party that nothing was sent to reads so, and operators can pause it', async () => {
  const own = await (await (await visitor(gateway.url).signIn('JPYZGIN')).get('/portal')).text();
  expect(own).toContain('Nothing was sent in the last hour.');
  const all = await (await (await visitor(gateway.url).signIn('operator')).get('/portal/parties')).text();
  expect(all).toContain('id="pause-JPYZGIN"');
});

test.runIf(hasBrowser)(
  'an FX provider sees where it stands, and what was booked today on each account',
  async () => {
    const { page } = await signedIn({ url: gateway.url, clientId: 'MERISGS0' });
    await page.goto('/portal/rates?sourceCountry=SG&destinationCountry=TH');
    const standing = page.locator('section').filter({ has: page.locator('h2:text-is("Where you stand")') });
    expect(await standing.innerText()).toMatch(/SG-TH[^]*SGD → THB/);
    await page.goto('/portal/books');
    const options = await page.locator('#book option').count();
    expect(options).toBeGreaterThan(1);
    await page.fill('#date', '2026-01-05');
    await page.selectOption('#book', { index: 1 });
    await page.click('button:has-text("Show")');
    expect(await page.locator('h2').allInnerTexts()).toContain('Totals');
  },
);

test.runIf(hasBrowser)(
  'a PSP chooses among its own country only, and sees until when a quote counts',
  async () => {
    const { page } = await signedIn({ url: gateway.url, clientId: 'LOTUSGS0' });
    await page.goto('/portal/quotes');
    expect(await page.locator('#from option').allInnerTexts()).toEqual(['Singapore, SGD']);
    await page.selectOption('#to', 'TH/THB');
    await page.fill('#amount', '1000');
    await page.click('button:has-text("Ask for quotes")');
    expect(await page.locator('time[data-until]').innerText()).toMatch(/^in \d+ /);
  },
);

test.runIf(hasBrowser)('a rejected payment promises no credit', async () => {
  const message = instruction(await bestQuote(gateway), { ending: endingIn.rejected });
  await submit(gateway, message, { prefer: 'wait=10' });
  const { page } = await signedIn({ url: gateway.url, clientId: 'LOTUSGS0' });
  await page.goto(`/portal/payments/${message.uetr}`);
  const text = await page.locator('main').innerText();
  expect(text).toContain('RJCT');
  expect(text).not.toMatch(/to be credited|To be credited|24,900/);
});

test.runIf(hasBrowser)('a payment that arrives shows on an open page by itself', async () => {
  const { page } = await signedIn({ url: gateway.url, clientId: 'SGDFAST' });
  await page.goto('/portal/payments');
  const message = instruction(await bestQuote(gateway));
  await submit(gateway, message, { prefer: 'wait=10' });
  await page.waitForSelector(`a[href="/portal/payments/${message.uetr}"]`);
});

test.runIf(hasBrowser)('an idle live page makes no request but its stream', async () => {
  const { page } = await signedIn({ url: gateway.url, clientId: 'operator' });
  await page.goto('/portal');
  const requests: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  await page.waitForSelector('#live:has-text("Updated")');
  await page.waitForTimeout(4_000);
  expect(requests.length).toBeLessThanOrEqual(1);
});

test.runIf(hasBrowser)('pages and forms work without JavaScript', async () => {
  const { page } = await signedIn({ url: gateway.url, clientId: 'SGDFAST' }, { javaScript: false });
  await page.goto('/portal/payments');
  await page.fill('#id', uetr);
  await page.click('button:has-text("Find")');
  await page.click(`a[href="/portal/payments/${uetr}"]`);
  expect(await page.locator('h1').innerText()).toContain(uetr);
});
