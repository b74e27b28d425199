// What an operator has to say in words is said in words: nothing but white space, or what nobody sees, is no evidence and no
// reason (LIF-4, LIF-5).
import { expect, test } from 'vitest';
import { newOutcomeSchema } from '../../../api/operations/outcome-schemas.ts';
import { words } from '../../../api/operations/words.ts';

const blanks = [' ', '   ', '\u00a0', '\u200b', '\u2028'];

test.each(blanks)('an outcome whose evidence is blank (%j) is not recorded (LIF-4)', (evidence) => {
  expect(newOutcomeSchema.safeParse({ status: 'ACCC', evidence }).success).toBe(false);
});

test.each(blanks)('a reason that is blank (%j) is none (LIF-4, LIF-5)', (because) => {
  expect(words.safeParse(because).success).toBe(false);
});

test('evidence in words of any script is taken (LIF-4)', () => {
  for (const evidence of ['เครดิตแล้ว 04:10', 'said by phone, 04:10 UTC'])
    expect(newOutcomeSchema.safeParse({ status: 'ACCC', evidence }).success).toBe(true);
});
