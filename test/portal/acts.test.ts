// Every act of the portal, by the people who do it; where the scheme wants two, by two.
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { hasBrowser, signedIn, type Reader } from '../harness/browser.ts';
import { writeEvent } from '../harness/events.ts';
import { gatewayInDoubt } from '../harness/in-doubt.ts';
import { eventually } from '../harness/wait.ts';

const { gateway, inDoubt, waiting } = await gatewayInDoubt();
const enter = (clientId: string) => signedIn({ url: gateway.url, clientId });
const api = async <Value>(path: string, clientId = 'operator'): Promise<Value> => {
  const answer = await fetch(`${gateway.url}${path}`, {
    headers: { authorization: `Bearer ${await gateway.token(clientId)}` },
  });
  return (await answer.json()) as Value;
};
const notice = ({ page }: Reader) => page.locator('.notice.good[role=status]').innerText();

describe.runIf(hasBrowser)('acts', () => {
  test('a payment in doubt is on the first page; one operator records how it ended, another confirms (LIF-4)', async () => {
    const uetr = await inDoubt();
    const first = await enter('operator');
    await first.page.click(`a[href="/portal/payments/${uetr}"]`);
    await first.page.click('summary:has-text("Record how it ended")');
    await first.page.fill('[name="f.evidence"]', 'Desk of Malaysia, call of 04:10 UTC: credited');
    await first.page.click('button:has-text("Record how it ended")');
    expect(await notice(first)).toContain('second operator');
    // the one who recorded it may not confirm it
    await first.page.click('button:has-text("Confirm as the second operator")');
    expect(await first.page.locator('.notice.bad').innerText()).toMatch(/operator/);
    const second = await enter('operator2');
    await second.page.goto(`/portal/payments/${uetr}`);
    await second.page.click('button:has-text("Confirm as the second operator")');
    expect(await notice(second)).toContain('final status');
    await expect.poll(async () => (await api<{ status: string }>(`/payments/${uetr}`)).status).toBe('ACCC');
  });

  test('a payment without a final status shows when its destination is asked, and can be asked about now', async () => {
    const uetr = await waiting();
    const { page } = await enter('operator');
    await page.goto(`/portal/payments/${uetr}`);
    expect(await page.locator('time[data-until]').first().innerText()).toMatch(/^in |ago$/);
    await page.click('button:has-text("Ask the destination now")');
    await expect.poll(() => page.locator('.notice').first().innerText()).toContain('asked again');
  });

  test('an alert is taken, noted and closed', async () => {
    const uetr = randomUUID();
    await writeEvent(gateway.db, { severity: 'alert', kind: 'payment.contradiction', subjectId: uetr });
    const reader = await enter('operator');
    const { page } = reader;
    await page.goto('/portal/alerts?kind=payment.contradiction');
    await page.click('td a:has-text("payment.contradiction")');
    expect(await page.locator('main').innerText()).toContain('The decision stands'); // what it means
    await page.click('button:has-text("Take it")');
    expect(await notice(reader)).toContain('new entry');
    for (const act of ['Write a note', 'Close']) {
      await page.click(`summary:has-text("${act}")`);
      const form = page.locator('form').filter({ has: page.locator(`button:text-is("${act}")`) });
      await form.locator('[name="f.note"]').fill('seen <b>and</b> understood');
      await form.locator('button').click();
      expect(await notice(reader)).toContain('new entry');
    }
    const text = await page.locator('main').innerText();
    expect(text).toContain('seen <b>and</b> understood');
    expect(text).toContain('Reopen');
  });

  test('the case of a payment is closed with the alerts that its page shows; a later one stays open (OBS-6)', async () => {
    const uetr = await waiting();
    const alert = { severity: 'alert', kind: 'payment.contradiction', subjectId: uetr } as const;
    await writeEvent(gateway.db, alert);
    const reader = await enter('operator');
    const { page } = reader;
    await page.goto(`/portal/payments/${uetr}`);
    await page.click('summary:text-is("Close")');
    const form = page.locator('form').filter({ has: page.locator('button:text-is("Close")') });
    const seen = () => form.locator('[name="f.seen"]').inputValue();
    const before = await seen();
    await writeEvent(gateway.db, alert);
    await eventually(async () => expect(await seen()).not.toBe(before)); // the live page shows it
    expect(await form.isVisible()).toBe(true); // the form stays open
    await form.locator('[name="f.note"]').fill('both banks asked'); // and now the page stays as it is
    await writeEvent(gateway.db, alert);
    await form.locator('button').click();
    const { alerts } = await api<{ alerts: readonly { state: string }[] }>(
      `/alerts?subjectId=${uetr}&state=open,closed&kind=payment.contradiction`,
    );
    expect(alerts.map(({ state }) => state).sort()).toEqual(['closed', 'closed', 'open']);
    expect(await page.locator('main').innerText()).toContain('both banks asked');
  });

  test('a party is paused and resumed, and sees itself that it is (LIF-5)', async () => {
    const operator = await enter('operator');
    await operator.page.goto('/portal/parties');
    await operator.page.goto('/portal');
    await waiting();
    await operator.page.goto('/portal/parties');
    const section = operator.page
      .locator('section')
      .filter({ has: operator.page.locator('h2:text-is("MYRRPP")') });
    const name =
      (await section.count()) > 0 ? section : operator.page.locator('section[id^="party-"]').first();
    await name.locator('summary').click();
    await name.locator('[name="f.because"]').fill('maintenance');
    await name.locator('button:has-text("Pause")').click();
    expect(await notice(operator)).toContain('Paused');
    expect(await operator.page.locator('main').innerText()).toContain('maintenance');
    await operator.page.locator('[name="f.because"]:visible').first().fill('done');
    await operator.page.click('button:has-text("Resume")');
    expect(await notice(operator)).toContain('Resumed');
  });

  test('a change of the scheme is proposed by one and approved by another, who sees the difference (ADM-2)', async () => {
    const first = await enter('operator');
    await first.page.goto('/portal/scheme/fee-formulas/TH:THB');
    await first.page.click('summary:has-text("Propose a change")');
    await first.page.fill('[name="f.document.schemeFee.nominalFeeAmount"]', '81.00');
    await first.page.fill('[name="f.because"]', 'new fees of 2027');
    await first.page.click('button:has-text("Propose a change")');
    expect(await first.page.locator('main').innerText()).toContain('waits for a second operator');
    const second = await enter('operator2');
    await second.page.click('a:has-text("changes to approve")');
    await second.page.click('td a:has-text("new fees of 2027")');
    expect(await second.page.locator('main').innerText()).toContain('81.00');
    await second.page.fill('[name="f.because"]:visible', 'read and agreed');
    await second.page.click('button:has-text("Approve")');
    expect(await notice(second)).toContain('Approved');
  });

  test('a form of an object that somebody has changed meanwhile reverts nothing (ADM-2)', async () => {
    const { page } = await enter('operator');
    await page.goto('/portal/scheme/clearing-systems/INRUPI');
    await page.click('summary:has-text("Propose a change")');
    await page.fill('[name="f.document.maxResolutionSeconds"]', '7');
    await page.fill('form[action="/portal/acts/enter"] [name="f.because"]', 'faster');
    const document = await api<{ document: Record<string, unknown> }>(
      '/admin/scheme/clearing-systems/INRUPI',
    );
    const change = {
      because: 'less',
      objects: [{ kind: 'clearing-systems', document: { ...document.document, maxAmount: '5000' } }],
    };
    const send = async (clientId: string, path: string, body: unknown) =>
      (await (
        await fetch(`${gateway.url}${path}`, {
          method: 'POST',
          headers: {
            authorization: `Bearer ${await gateway.token(clientId)}`,
            'content-type': 'application/json',
          },
          body: JSON.stringify(body),
        })
      ).json()) as { changeId: string };
    const { changeId } = await send('operator2', '/admin/changes', change);
    await send('operator', `/admin/changes/${changeId}/approval`, { because: 'seen' });
    await page.click('form[action="/portal/acts/enter"] button:has-text("Propose a change")');
    expect(await page.locator('.notice.bad').innerText()).toContain('has changed this object');
    expect(await page.inputValue('[name="f.document.maxResolutionSeconds"]')).toBe('7');
  });

  test('a preview of what would be refused says so', async () => {
    const { page } = await enter('operator');
    await page.goto('/portal/changes');
    await page.fill('[name="f.objects"]', '[{ "kind": "fx-prices", "document": { "fxpId": "SG-MERI" } }]');
    await page.fill('form[action="/portal/acts/propose"] [name="f.because"]', 'trial');
    await page.check('form[action="/portal/acts/propose"] [name="f.preview"]');
    await page.click('form[action="/portal/acts/propose"] button');
    expect(await page.locator('.notice.bad').innerText()).toContain('would be refused');
    expect(await page.locator('.notice.good').count()).toBe(0);
  });

  test('what is wrong in a form is told beside it, and what was entered is kept', async () => {
    const { page } = await enter('operator');
    await page.goto('/portal/changes');
    await page.fill('[name="f.objects"]', '[{ "kind": "fee-formulas", "document": {} }]');
    await page.fill('[name="f.because"]', 'nothing in it');
    await page.click('button:has-text("Propose a change")');
    expect(await page.locator('.notice.bad').innerText()).toMatch(/document|objects/);
    expect(await page.inputValue('[name="f.because"]')).toBe('nothing in it');
  });

  test('a secret is shown once to the operator who gave it', async () => {
    const reader = await enter('operator');
    await reader.page.goto('/portal/scheme/clients/BANYHKS0');
    await reader.page.locator('form[action="/portal/acts/newSecret"] [name="f.because"]').fill('lost');
    await reader.page.click('button:has-text("Give it another secret")');
    expect(await notice(reader)).toContain('shown once');
    expect(await reader.page.locator('main').innerText()).toMatch(/The secret: \S{20,}/);
  });

  test('an FX provider posts a rate and a tier, and sees them; it never sees another (FX-9)', async () => {
    const reader = await enter('MERISGS0');
    const { page } = reader;
    await page.goto('/portal/rates');
    const rate = page.locator('form[action="/portal/acts/rate"]');
    const values = {
      sourceCountry: 'SG',
      sourceCurrency: 'SGD',
      destinationCountry: 'TH',
      destinationCurrency: 'THB',
      rate: '24.5',
    };
    for (const [name, value] of Object.entries(values)) await rate.locator(`[name="f.${name}"]`).fill(value);
    await rate.locator('[name="f.rate"]').fill('245'); // a slip
    await rate.locator('button').click();
    expect(await page.locator('.notice.bad').innerText()).toContain('does not count yet');
    await rate.locator('[name="f.rate"]').fill('2.45'); // another one
    await rate.locator('button').click();
    expect(await page.locator('.notice.bad').innerText()).toContain('does not count yet');
    await rate.locator('[name="f.rate"]').fill('24.5');
    await rate.locator('button').click();
    expect(await notice(reader)).toContain('counts now');
    await page.goto('/portal/rates?sourceCountry=SG&destinationCountry=TH');
    expect(await page.locator('main').innerText()).toContain('24.5');
    expect(await page.locator('main').innerText()).not.toContain('ZENIHKS0');
  });

  test('an operator of a payment system checks a message by pasting it, and nothing is stored', async () => {
    const { page } = await enter('SGDFAST');
    await page.goto('/portal/check');
    await page.fill('#message', '<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pacs.008.001.13"/>');
    await page.click('button:has-text("Check it")');
    expect(await page.locator('main').innerText()).toContain('faults found');
  });

  test('a payment system sends a trial message to its addresses, and the open page shows each answer', async () => {
    const reader = await enter('THBPPAY');
    await reader.page.click('button:has-text("Send a trial message to each")');
    expect(await notice(reader)).toContain('trial message');
    const row = 'tr:has-text("/iso20022/pacs028"):has(.badge.good)';
    await reader.page.waitForSelector(`${row}:has-text("It answered HTTP 404.")`);
  });

  test('what a party wrote is never a part of our page', async () => {
    const attack = '<img src=x onerror=alert(1)><script>alert(2)</script>';
    const reader = await enter('operator');
    const { page, errors } = reader;
    const uetr = await waiting();
    await page.goto(`/portal/payments/${uetr}`);
    await page.click('summary:has-text("Write a note")');
    const form = page.locator('form').filter({ has: page.locator('button:text-is("Write a note")') });
    await form.locator('[name="f.note"]').fill(attack);
    await form.locator('button').click();
    expect(await page.locator('main').innerText()).toContain(attack);
    await page.goto(`/portal/payments?id=${encodeURIComponent(attack)}`);
    expect(await page.locator('img, main script').count()).toBe(0);
    expect(errors.filter((text) => !text.includes('status of 4'))).toEqual([]);
  });
});
