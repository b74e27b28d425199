/** The rows of the rejection table that apply only to resolution requests. */
import type { RejectionRow } from '../rejections/rejection-row.ts';

export const resolutionRejections = {
  'assigner-not-member': {
    isoCode: 'AGNT',
    ruleId: 'RES-5',
    checks:
      'The asker (`Assgnr`, `FrstAgt`, `Cretr`) is a member of the submitting clearing system, or that system itself.',
    xpath: '/Document/IdVrfctnReq/Assgnmt/Assgnr',
    text: 'not a member of the submitting system',
    expected: 'your own clearing system, or an institution that is a member of it',
  },
  'assignee-country-missing': {
    isoCode: 'CH21',
    ruleId: 'RES-2',
    checks: 'A resolution request names the destination country.',
    xpath: '/Document/IdVrfctnReq/Assgnmt/Assgne/Agt/FinInstnId/PstlAdr/Ctry',
    fault: 'place-or-count',
    text: 'destination country missing',
    expected: 'the code of the destination country',
  },
  'assignee-country-unknown': {
    isoCode: 'AGNT',
    ruleId: 'RES-2',
    checks: 'The destination country of a resolution takes part in the service.',
    xpath: '/Document/IdVrfctnReq/Assgnmt/Assgne/Agt/FinInstnId/PstlAdr/Ctry',
    text: 'the country does not take part in the service',
    expected: 'a country that GET /countries lists',
  },
  'proxy-directory-missing': {
    isoCode: 'BE23',
    ruleId: 'RES-2',
    checks: 'The destination country of a proxy has a proxy directory.',
    xpath: '/Document/IdVrfctnReq/Vrfctn/PtyAndAcctId/Acct/Prxy',
    text: 'the country has no proxy directory',
    expected: 'an account (Id) and its agent instead: proxies of this country cannot be resolved',
  },
  'duplicate-request': {
    isoCode: 'DUPL',
    ruleId: 'DUP-2',
    checks: 'A sender does not reuse the message id of a resolution request for other content.',
    xpath: '/Document/IdVrfctnReq/Assgnmt/MsgId',
    text: 'already sent with other content; the first request stands',
    found: 'content that differs from the first request with this MsgId',
    expected:
      'a new MsgId; to get the answer to the first request, send exactly the same bytes again (DUP-1)',
    ofRepeat: true,
    event: 'resolution.content-changed',
  },
  'resolution-agent-not-onboarded': {
    isoCode: 'AGNT',
    ruleId: 'RES-2',
    checks: 'The creditor agent of a resolution is onboarded.',
    xpath: '/Document/IdVrfctnReq/Vrfctn/PtyAndAcctId/Agt',
    text: 'creditor agent not onboarded',
    expected:
      'a PSP listed by GET /countries/{countryCode}/fin-insts/psp?onboarded=true of the destination country',
  },
  'resolution-agent-unknown': {
    isoCode: 'RC07',
    ruleId: 'RES-2',
    checks: 'The creditor agent of a resolution is known and in the destination country.',
    xpath: '/Document/IdVrfctnReq/Vrfctn/PtyAndAcctId/Agt',
    text: 'creditor agent unknown',
    expected:
      'a PSP listed by GET /countries/{countryCode}/fin-insts/psp?onboarded=true of the destination country',
  },
  'resolution-not-supported': {
    isoCode: 'AB08',
    ruleId: 'RES-2',
    checks: 'The creditor agent of an account supports resolution requests.',
    xpath: '/Document/IdVrfctnReq/Vrfctn/PtyAndAcctId/Agt',
    text: 'creditor agent does not support resolution requests',
    expected: 'nothing else: this creditor agent does not confirm accounts',
  },
  'resolution-deadline': {
    isoCode: 'AB08',
    ruleId: 'RES-1',
    checks: 'A resolution is answered before its deadline.',
    fault: null,
    text: 'no answer before the deadline',
    expected: 'to try again, a new request with a new MsgId',
  },
} as const satisfies Record<string, RejectionRow>;
