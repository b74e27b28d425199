// Institutions in messages: found by any identifier, and named again (REF-4).
import { describe, expect, test } from 'vitest';
import { identifyAgent, isMember, resolveAgent } from '../../../core/payments/agent.ts';
import { institution, world } from '../scheme/small-world.ts';

const lotus = world.institutions.get('SG-LOTU');
const bare = world.institutions.get('TH-BARE')!;

describe('an institution is found', () => {
  test.each([
    ['its BIC', { bicfi: 'LOTUSGS0' }],
    ['its BIC with XXX', { bicfi: 'LOTUSGS0XXX' }],
    ['its LEI', { lei: '99990000000000000011' }],
    [
      'its member id, where the system is named',
      { memberId: { clearingSystemId: 'SGDFAST', memberId: 'LOTUSG01' } },
    ],
    ['one that is known beside one that is not', { bicfi: 'LOTUSGS0', otherId: 'UNKNOWN' }],
  ])('by %s', (_, agent) => {
    expect(resolveAgent(world, agent)).toBe(lotus);
  });

  test('by a member id without system, where the caller knows the system', () => {
    const agent = { memberId: { memberId: 'LOTUSG01' } };
    expect(resolveAgent(world, agent, 'SGDFAST')).toBe(lotus);
    expect(resolveAgent(world, agent)).toBeUndefined();
  });

  test('by a branch BIC of its own', () => {
    expect(resolveAgent(world, { bicfi: 'LOTUTHS0BKK' })?.institutionId).toBe('TH-LOTU');
  });

  test('by another id', () => {
    expect(resolveAgent(world, { otherId: 'THBARE001' })).toBe(bare);
  });
});

describe('no institution is found', () => {
  test.each([
    ['nothing', {}],
    ['a name alone', { name: 'LOTU' }],
    ['an unknown BIC', { bicfi: 'NONESGS0' }],
    ['an unknown BIC beside a known LEI', { bicfi: 'NONESGS0', lei: '99990000000000000011' }],
    [
      'an unknown member id beside a known BIC',
      { bicfi: 'LOTUSGS0', memberId: { clearingSystemId: 'SGDFAST', memberId: 'NONESG01' } },
    ],
    ["a member id of another system's", { memberId: { clearingSystemId: 'THBPPAY', memberId: 'LOTUSG01' } }],
    ['two identifiers of two institutions', { bicfi: 'LOTUSGS0', otherId: 'THBARE001' }],
  ])('by %s', (_, agent) => {
    expect(resolveAgent(world, agent)).toBeUndefined();
  });
});

describe('an institution is named', () => {
  test('by its first BIC, even where it has more', () => {
    expect(identifyAgent(world.institutions.get('TH-LOTU')!, 'THBPPAY')).toEqual({ bicfi: 'LOTUTHS0' });
  });

  test('by LEI where it has no BIC', () => {
    expect(identifyAgent({ ...bare, lei: '99990000000000000022' }, 'THBPPAY')).toEqual({
      lei: '99990000000000000022',
    });
  });

  test('by its member id in the system, else by another id', () => {
    expect(identifyAgent(bare, 'THBPPAY')).toEqual({
      memberId: { clearingSystemId: 'THBPPAY', memberId: 'BARETH01' },
    });
    expect(identifyAgent(bare)).toEqual({ otherId: 'THBARE001' });
  });

  test('in a way by which it is found again', () => {
    for (const one of world.institutions.values()) {
      const system = one.memberships[0]?.clearingSystemId;
      expect(resolveAgent(world, identifyAgent(one, system))).toBe(one);
      expect(resolveAgent(world, identifyAgent(one))).toBe(one);
    }
  });
});

test('membership is per payment system', () => {
  const member = institution({ institutionId: 'SG-LOTU', roles: ['psp'] });
  expect([isMember(member, 'SGDFAST'), isMember(member, 'THBPPAY')]).toEqual([true, false]);
});
