// Who may ask (RES-5): every element of an acmt.023 in which somebody could speak in another's name.
import { describe, expect, test } from 'vitest';
import { refuseAssigner } from '../../../core/resolutions/assigner.ts';
import { buildAgent, type AgentIdentification } from '../../../core/iso20022/parties.ts';
import { branch, leaf, type XmlElement } from '../../../core/iso20022/tree.ts';
import { world } from '../scheme/small-world.ts';

const agent = (identification: AgentIdentification) => buildAgent('Agt', identification);
const party = (...identifiers: readonly XmlElement[]) =>
  branch('Pty', leaf('Nm', 'Lotus Bank'), branch('Id', branch('OrgId', ...identifiers)));
const other = (id: string) => branch('Othr', leaf('Id', id));

/** An acmt.023 of Singapore's payment system: its assigner, and what else stands in the assignment. */
function judged(assigner: XmlElement, ...before: readonly XmlElement[]): string | undefined {
  const request = branch('IdVrfctnReq', branch('Assgnmt', ...before, branch('Assgnr', assigner)));
  const rejection = refuseAssigner(request, 'SGDFAST', world);
  return (
    rejection &&
    `${rejection.isoCode} ${rejection.ruleId} ${rejection.xpath?.replace('/Document/IdVrfctnReq/', '') ?? ''}`
  );
}
const own = agent({ bicfi: 'LOTUSGS0' });

describe('an assigner', () => {
  test.each<[string, AgentIdentification]>([
    ['a member by BIC', { bicfi: 'BANYSGS0' }],
    ['a member by BIC with XXX', { bicfi: 'BANYSGS0XXX' }],
    ['a member by LEI', { lei: '99990000000000000011' }],
    ['a member by its id in the system', { memberId: { memberId: 'LOTUSG01' } }],
    ['the system itself', { otherId: 'SGDFAST' }],
    ["the system's operator", { otherId: 'IPSO-SG' }],
  ])('%s may ask', (_, identification) => {
    expect(judged(agent(identification))).toBeUndefined();
  });

  test.each<[string, AgentIdentification]>([
    ['a member of another system', { bicfi: 'LOTUTHS0' }],
    ['nobody that is known', { bicfi: 'NONESGS0' }],
    ['an unknown BIC beside the LEI of a member', { bicfi: 'NONESGS0', lei: '99990000000000000011' }],
    ['two institutions at once', { bicfi: 'BANYSGS0', lei: '99990000000000000011' }],
    ["another system's member id", { memberId: { clearingSystemId: 'THBPPAY', memberId: 'LOTUTH01' } }],
    ['another system', { otherId: 'THBPPAY' }],
    ["another system's operator", { otherId: 'IPSO-TH' }],
    ["a foreign BIC beside the system's own name", { bicfi: 'LOTUTHS0', otherId: 'SGDFAST' }],
  ])('that is %s may not', (_, identification) => {
    expect(judged(agent(identification))).toBe('AGNT RES-5 Assgnmt/Assgnr/Agt');
  });

  test('that is a party must be identified as the submitter or one of its members', () => {
    expect(judged(party(leaf('AnyBIC', 'LOTUSGS0')))).toBeUndefined();
    expect(judged(party(leaf('AnyBIC', 'NONESGS0'), other('SGDFAST')))).toBeUndefined();
    const refused = 'AGNT RES-5 Assgnmt/Assgnr/Pty';
    expect(judged(party(leaf('AnyBIC', 'LOTUTHS0')))).toBe(refused);
    expect(judged(party(leaf('AnyBIC', 'LOTUSGS0'), other('IPSO-TH')))).toBe(refused);
    expect(judged(party(other('4711')))).toBe(refused);
    expect(judged(branch('Pty', leaf('Nm', 'Lotus Bank Singapore')))).toBe(refused);
  });
});

describe('beside an assigner of its own', () => {
  test('a first agent or creator of another system is refused, each at its place', () => {
    const foreign = { bicfi: 'LOTUTHS0' };
    expect(judged(own, buildAgent('FrstAgt', foreign))).toBe('AGNT RES-5 Assgnmt/FrstAgt');
    expect(judged(own, branch('Cretr', agent(foreign)))).toBe('AGNT RES-5 Assgnmt/Cretr/Agt');
    expect(judged(own, branch('Cretr', party(leaf('AnyBIC', 'LOTUTHS0'))))).toBe(
      'AGNT RES-5 Assgnmt/Cretr/Pty',
    );
    expect(judged(own, branch('Cretr', party(other('THBPPAY'))))).toBe('AGNT RES-5 Assgnmt/Cretr/Pty');
  });

  test('a creator may be a customer: a party that is no institution', () => {
    const person = branch(
      'Pty',
      leaf('Nm', 'Mei Lin Tan'),
      branch('Id', branch('PrvtId', other('S1234567A'))),
    );
    expect(judged(own, branch('Cretr', person))).toBeUndefined();
    expect(judged(own, branch('Cretr', party(other('4711'))))).toBeUndefined();
    expect(judged(own, buildAgent('FrstAgt', { bicfi: 'BANYSGS0' }))).toBeUndefined();
  });
});
