// The forms in which operators add, change and end objects of the scheme.
import { describe, expect, test } from 'vitest';
import { acts, readAct } from '../../api/portal/acts.ts';
import { schemeKinds } from '../../core/scheme/documents.ts';
import { hasBrowser, isTooWide, signedIn, violations } from '../harness/browser.ts';
import { testGateway } from '../harness/gateway.ts';
import { samples } from '../harness/only-in-all.ts';

const gateway = await testGateway();
const enter = async (clientId = 'operator', width = 1280) =>
  (await signedIn({ url: gateway.url, clientId }, { width })).page;
const openAll = "document.querySelectorAll('details').forEach((one) => { one.open = true; })";

test('a form goes on with every digit; what is empty is null or left out', () => {
  const form = new FormData();
  const entered = {
    'at.kind': 'clearing-systems',
    'f.document.clearingSystemId': ' XXFAST ',
    'f.document.currencyCode': '',
    'f.document.maxAmount': '12345678901234567890.10',
    'f.document.maxExecutionSeconds': '12345678901234567890',
    'f.document.maxAcceptanceAgeSeconds': '2O',
    'f.document.countryCodes': '["SG"]',
    'f.document.bookEndpointUrl': '',
    'f.because': 'x',
  };
  for (const [name, value] of Object.entries(entered)) form.append(name, value);
  const document =
    '{"clearingSystemId":"XXFAST","maxAmount":"12345678901234567890.10","maxExecutionSeconds":12345678901234567890,' +
    '"maxAcceptanceAgeSeconds":"2O","countryCodes":["SG"],"bookEndpointUrl":null}';
  expect(readAct(acts.enter, form)).toEqual({
    path: '/admin/changes',
    bodyText: `{"objects":[{"kind":"clearing-systems","document":${document}}],"because":"x","preview":false}`,
  });
  form.set('f.document.countryCodes', '["SG"');
  expect(readAct(acts.enter, form)).toEqual({ unreadable: 'countryCodes' });
});

/** Objects of a kind whose forms are tried: the first ones, or all. */
const most = samples(3, 1_000);

/** Runs in the browser: previews their unchanged forms, and returns the notices by address. */
const previewsOf = (kind: string) => `(async () => {
  const open = async (path, form) => {
    const answer = await fetch(path, form && { method: 'POST', body: new URLSearchParams(form) });
    return new DOMParser().parseFromString(await answer.text(), 'text/html');
  };
  const list = await open('/portal/scheme/${kind}');
  const paths = [...list.querySelectorAll('td:first-child a')].map((one) => one.getAttribute('href')).slice(0, ${most});
  const notices = {};
  for (const path of paths) {
    const form = new FormData((await open(path)).querySelector('form[action="/portal/acts/enter"]'));
    form.set('f.because', 'unchanged');
    form.set('f.preview', 'true');
    const answer = await open('/portal/acts/enter', form);
    notices[path] = answer.querySelector('.notice').textContent.trim();
  }
  return notices;
})()`;

test.runIf(hasBrowser).each(schemeKinds)(
  'the form of an object of %s, read back unchanged, changes nothing',
  async (kind) => {
    const page = await enter();
    const notices = await page.evaluate<Readonly<Record<string, string>>>(previewsOf(kind));
    expect(Object.keys(notices)).not.toEqual([]);
    expect(Object.entries(notices).filter(([, says]) => !says.includes('Nothing was to change'))).toEqual([]);
  },
);

describe.runIf(hasBrowser)('a form of the scheme', () => {
  test('adds a currency, which another operator approves, and ends it (ADM-1, ADM-2)', async () => {
    const first = await enter();
    await first.goto('/portal/scheme/currencies');
    await first.click('summary:has-text("Add one")');
    const values = { currencyCode: 'VND', currencyId: '704', name: 'Dong', symbol: '₫', decimalPlaces: '0' };
    for (const [name, value] of Object.entries(values))
      await first.fill(`[name="f.document.${name}"]`, value);
    await first.fill('[name="f.because"]', 'Viet Nam joins');
    await first.click('button:has-text("Propose a change")');
    expect(await first.locator('.notice.good').innerText()).toContain('waits for a second operator');
    const second = await enter('operator2');
    await second.goto('/portal/changes?state=pending');
    await second.click('td a:has-text("Viet Nam joins")');
    await second.fill('[name="f.because"]:visible', 'read and agreed');
    await second.click('button:has-text("Approve")');
    expect(await second.locator('.notice.good').innerText()).toContain('Approved');
    await first.goto('/portal/scheme/currencies/VND');
    expect(await first.locator('dl.facts').first().innerText()).toMatch(/Dong/);
    await first.click('summary:has-text("End it")');
    await first.fill('form[action="/portal/acts/end"] [name="f.because"]', 'Viet Nam left');
    await first.click('button:has-text("End it")');
    expect(await first.locator('.notice.good').innerText()).toContain('waits for a second operator');
    expect(await first.locator('main').innerText()).toContain('Ends.');
  });

  test('shows in a preview what would change, and is proposed from there', async () => {
    const page = await enter();
    await page.goto('/portal/scheme/fee-formulas/SG:SGD');
    await page.click('summary:has-text("Propose a change")');
    await page.fill('[name="f.document.creditorAgentFee.nominalFeeAmount"]', '0.73');
    await page.fill('[name="f.because"]', 'dearer');
    await page.click('button:has-text("Only a preview")');
    expect(await page.locator('.notice.good').innerText()).toContain('Nothing was changed');
    expect(await page.locator('main').innerText()).toContain('/creditorAgentFee/nominalFeeAmount');
    await page.click('button:has-text("Propose a change")');
    await expect
      .poll(() => page.locator('.notice.good').innerText())
      .toContain('waits for a second operator');
    await page.goto('/portal/changes?state=pending');
    expect(await page.locator('main').innerText()).toContain('dearer');
  });

  test('says what is refused, and keeps what was entered', async () => {
    const page = await enter();
    await page.goto('/portal/scheme/clearing-systems/SGDFAST');
    await page.click('summary:has-text("Propose a change")');
    const entered = { maxAmount: 'much', maxResolutionSeconds: 'seven', bookEndpointUrl: '' };
    for (const [name, value] of Object.entries(entered))
      await page.fill(`[name="f.document.${name}"]`, value);
    await page.fill('[name="f.because"]', 'a try');
    await page.click('button:has-text("Propose a change")');
    const refusal = await page.locator('.notice.bad').innerText();
    expect(refusal).toContain('/objects/0/document/maxAmount');
    expect(refusal).toContain('/objects/0/document/maxResolutionSeconds');
    for (const [name, value] of Object.entries(entered))
      expect(await page.inputValue(`[name="f.document.${name}"]`)).toBe(value);
    expect(await page.inputValue('[name="f.because"]')).toBe('a try');
    // another id would be another object
    expect(await page.getAttribute('[name="f.document.clearingSystemId"]', 'readonly')).not.toBeNull();
    await page.fill('[name="f.document.countryCodes"]', '["SG"');
    await page.click('button:has-text("Propose a change")');
    await expect
      .poll(() => page.locator('.notice.bad').innerText())
      .toContain('countryCodes: cannot be read');
    expect(await page.inputValue('[name="f.document.countryCodes"]')).toBe('["SG"');
  });

  test('offers the ids of the objects that a member names, and the facts link to them', async () => {
    const page = await enter();
    await page.goto('/portal/scheme/settlement-accounts');
    expect(await page.getAttribute('[name="f.document.ownerId"]', 'list')).toBe('ids-of-institutions');
    expect(await page.locator('#ids-of-institutions option[value="SG-MERI"]').count()).toBe(1);
    await page.goto('/portal/scheme/fee-formulas/TH:THB');
    await page.click('dd a:has-text("THB")');
    await expect.poll(() => new URL(page.url()).pathname).toBe('/portal/scheme/currencies/THB');
    await page.goto('/portal/scheme/institutions/SG-MERI');
    expect(await page.locator('table a[href="/portal/scheme/institutions/TH-HARB"]').count()).toBe(1);
  });

  test.each([390, 1280])('reads well at %i pixels, by keyboard and screen reader too', async (width) => {
    const page = await enter('operator', width);
    for (const path of ['institutions/SG-MERI', 'fee-formulas/TH:THB', 'address-inputs', 'clients']) {
      await page.goto(`/portal/scheme/${path}`);
      await page.evaluate(openAll);
      expect(await isTooWide(page), path).toBe(false);
      expect(await violations(page), path).toEqual([]);
    }
  });
});
