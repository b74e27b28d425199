// Whether an LEI is one: its form, and its check digits made anew.
import { isLei, leiCheckDigits } from '../../../core/ids.ts';

export function holdsCheckDigits(lei: string): boolean {
  return isLei(lei) && leiCheckDigits(lei.slice(0, 18)) === lei.slice(18);
}
