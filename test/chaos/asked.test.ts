// What a run is asked to do: whom a fault hits that is played alone is refused before anything is started, or known.
import { describe, expect, it } from 'vitest';
import { planOf, readOptions, targetsInWords } from '../../chaos/asked.ts';
import { faultNamed, faults } from '../../chaos/faults/all.ts';

const targetOf = (fault: string, target: string) => {
  const asked = readOptions({ fault, target, rate: '5' });
  return planOf(asked, 1).map((one) => one.target);
};

describe('--target', () => {
  it('takes one, several or all of those that a fault may hit at once', () => {
    expect(targetOf('database-vanishes', 'api-2')).toEqual(['api-2']);
    expect(targetOf('database-vanishes', 'api-2,worker-1')).toEqual(['api-2,worker-1']);
    expect(targetOf('database-vanishes', 'all')).toEqual(['api-1,api-2,worker-1,worker-2']);
    expect(targetOf('database-crashes', 'all')).toEqual(['database']);
    expect(targetOf('source-refuses', 'all')).not.toEqual(targetOf('source-refuses', 'source/SGDFAST'));
  });

  it.each([
    ['worker-killed', 'all', 'worker-1 or worker-2'],
    ['worker-killed', 'worker-1,worker-2', 'worker-1 or worker-2'],
    ['database-vanishes', 'worker-3', 'api-1, api-2, worker-1, worker-2, several with a comma or all'],
    ['database-crashes', 'worker-1', 'database'],
  ])('of %s refuses %s and says whom it hits', (fault, target, hits) => {
    expect(() => targetOf(fault, target)).toThrow(`--target ${target}: ${fault} hits ${hits}.`);
    expect(targetsInWords(faultNamed(fault))).toBe(hits);
  });

  it('may be left out: the seed draws one of them', () => {
    for (const { name } of faults) {
      const asked = readOptions({ fault: name, rate: '5' });
      const [drawn] = planOf(asked, 7);
      expect(drawn?.target.split(',').every((one) => targetOf(name, one).length === 1)).toBe(true);
    }
  });
});
