// The list of migrations, by name: a static list, so that a bundled build carries them.
import type { Migration } from 'kysely/migration';
import * as referenceData from './0001-reference-data.ts';
import * as ratesAndQuotes from './0002-rates-and-quotes.ts';
import * as payments from './0003-payments.ts';
import * as issuer from './0004-issuer.ts';
import * as resolutions from './0005-resolutions.ts';
import * as alerts from './0006-alerts.ts';
import * as withdrawal from './0007-withdrawal.ts';
import * as promises from './0008-promises.ts';
import * as claimedDebtorAgent from './0009-claimed-debtor-agent.ts';
import * as subjectId from './0010-subject-id.ts';
import * as firstQuestion from './0011-first-question.ts';
import * as operatorsView from './0012-operators-view.ts';
import * as recordedOutcomes from './0013-recorded-outcomes.ts';
import * as alertsOfCases from './0014-alerts-of-cases.ts';
import * as pauses from './0015-pauses.ts';
import * as books from './0016-books.ts';
import * as booksSent from './0017-books-sent.ts';
import * as booksOwedSince from './0018-books-owed-since.ts';
import * as booksClosed from './0019-books-closed.ts';
import * as statesOfAlerts from './0020-states-of-alerts.ts';
import * as booksMended from './0021-books-mended.ts';
import * as accountsThatAreGone from './0022-accounts-that-are-gone.ts';
import * as whyRefused from './0023-why-refused.ts';
import * as insertOnly from './0024-insert-only.ts';
import * as rights from './0025-rights.ts';
import * as schemeChanges from './0026-scheme-changes.ts';
import * as endpointProbes from './0027-endpoint-probes.ts';
import * as recordKeys from './0028-record-keys.ts';
import * as partitions from './0029-partitions.ts';
import * as deliveryKeys from './0030-delivery-keys.ts';
import * as auditSeals from './0031-audit-seals.ts';
import * as dataKeys from './0032-data-keys.ts';
import * as requestCounts from './0033-request-counts.ts';
import * as identity from './0034-identity.ts';
import * as signedMessages from './0035-signed-messages.ts';
import * as sealsInTime from './0036-seals-in-time.ts';
import * as heldDataKeys from './0037-held-data-keys.ts';
import * as secretTags from './0038-secret-tags.ts';
import * as credentials from './0039-credentials.ts';
import * as dataKeysPutBack from './0040-data-keys-put-back.ts';
import * as ownSearchPath from './0041-own-search-path.ts';

export const migrations: Record<string, Migration> = {
  '0001-reference-data': referenceData,
  '0002-rates-and-quotes': ratesAndQuotes,
  '0003-payments': payments,
  '0004-issuer': issuer,
  '0005-resolutions': resolutions,
  '0006-alerts': alerts,
  '0007-withdrawal': withdrawal,
  '0008-promises': promises,
  '0009-claimed-debtor-agent': claimedDebtorAgent,
  '0010-subject-id': subjectId,
  '0011-first-question': firstQuestion,
  '0012-operators-view': operatorsView,
  '0013-recorded-outcomes': recordedOutcomes,
  '0014-alerts-of-cases': alertsOfCases,
  '0015-pauses': pauses,
  '0016-books': books,
  '0017-books-sent': booksSent,
  '0018-books-owed-since': booksOwedSince,
  '0019-books-closed': booksClosed,
  '0020-states-of-alerts': statesOfAlerts,
  '0021-books-mended': booksMended,
  '0022-accounts-that-are-gone': accountsThatAreGone,
  '0023-why-refused': whyRefused,
  '0024-insert-only': insertOnly,
  '0025-rights': rights,
  '0026-scheme-changes': schemeChanges,
  '0027-endpoint-probes': endpointProbes,
  '0028-record-keys': recordKeys,
  '0029-partitions': partitions,
  '0030-delivery-keys': deliveryKeys,
  '0031-audit-seals': auditSeals,
  '0032-data-keys': dataKeys,
  '0033-request-counts': requestCounts,
  '0034-identity': identity,
  '0035-signed-messages': signedMessages,
  '0036-seals-in-time': sealsInTime,
  '0037-held-data-keys': heldDataKeys,
  '0038-secret-tags': secretTags,
  '0039-credentials': credentials,
  '0040-data-keys-put-back': dataKeysPutBack,
  '0041-own-search-path': ownSearchPath,
};
