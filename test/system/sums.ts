// Sums of decimal amounts, exactly, in whole units of the fifth decimal: apart from the gateway's own arithmetic.
const places = 5; // of any ISO amount

export function sum(amounts: readonly string[]): string {
  const total = amounts.reduce((units, amount) => {
    const [whole = '0', decimals = ''] = amount.split('.');
    return units + BigInt(whole + decimals.padEnd(places, '0'));
  }, 0n);
  const digits = String(total).padStart(places + 1, '0');
  return `${digits.slice(0, -places)}.${digits.slice(-places)}`;
}
