// All pages of the portal by address.
import { alertPage, alertsPage } from './pages/alerts.ts';
import { booksPage, sendBook } from './pages/books.ts';
import { changePage, changesPage } from './pages/changes.ts';
import { checkPage } from './pages/check.ts';
import { homePage } from './pages/home.ts';
import { keysPage } from './pages/keys.ts';
import { partiesPage } from './pages/parties.ts';
import { paymentPage, sendEvidence, sendMessage } from './pages/payment.ts';
import { paymentsPage } from './pages/payments.ts';
import { quotesPage } from './pages/quotes.ts';
import { ratesPage } from './pages/rates.ts';
import { rulePage } from './pages/rule.ts';
import { kindPage, objectPage, readinessPage, schemePage } from './pages/scheme.ts';
import { submissionsPage } from './pages/submissions.ts';
import type { PageRoute, Visit } from './visit.ts';

export const pages: readonly PageRoute[] = [
  { path: '/portal', show: homePage, isLive: true },
  { path: '/portal/payments', show: paymentsPage, isLive: true },
  { path: '/portal/payments/{uetr}', show: paymentPage, isLive: true },
  { path: '/portal/submissions', show: submissionsPage, isLive: true },
  { path: '/portal/alerts', show: alertsPage, isLive: true },
  { path: '/portal/alerts/{alertId}', show: alertPage },
  { path: '/portal/parties', show: partiesPage, isLive: true },
  { path: '/portal/changes', show: changesPage, isLive: true },
  { path: '/portal/changes/{changeId}', show: changePage },
  { path: '/portal/scheme', show: schemePage },
  { path: '/portal/scheme/{kind}', show: kindPage },
  { path: '/portal/scheme/{kind}/{id}', show: objectPage },
  { path: '/portal/readiness/{party}', show: readinessPage },
  { path: '/portal/keys', show: keysPage },
  { path: '/portal/quotes', show: quotesPage },
  { path: '/portal/rates', show: ratesPage, isLive: true },
  { path: '/portal/books', show: booksPage },
  { path: '/portal/check', show: checkPage },
  { path: '/portal/rules/{ruleId}', show: rulePage },
];

/** What the API gives as bytes: messages and files. */
export const rawRoutes: readonly {
  readonly path: string;
  readonly send: (visit: Visit) => Promise<Response>;
}[] = [
  { path: '/portal/payments/{uetr}/messages/{messageId}', send: sendMessage },
  { path: '/portal/payments/{uetr}/evidence', send: sendEvidence },
  { path: '/portal/books/csv', send: sendBook },
];
