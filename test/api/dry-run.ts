// What tests of the dry run share: its answer, how it is told in a line, and messages with another text in one place.

interface Violation {
  id: string;
  isoCode: string;
  ruleId: string;
  xpath: string | null;
  fault: string | null;
  explanation: string;
  additionalInformation: string;
}
export interface DryRun {
  message: string;
  valid: boolean;
  refusedAtIntake: string | null;
  judged: string[];
  violations: Violation[];
  notJudged: { name: string; ruleId: string; reason: string }[];
}

/** The acceptance time of a fixture, moved to the present. */
export const fresh = (xml: string | Buffer, now = new Date()) =>
  xml.toString().replace(/(<AccptncDtTm>)[^<]*/, `$1${now.toISOString()}`);
const short = (xpath: string | null) => xpath?.replace(/^\/Document\/\w+\/?/, '') ?? '';
export const told = ({ violations }: DryRun) =>
  violations.map((one) => `${one.isoCode} ${one.ruleId} ${short(one.xpath)}`.trim());

/** Replaces exactly one place. */
export function edit(xml: string, from: string | RegExp, to: string): string {
  const edited = xml.replace(from, to);
  if (edited === xml) throw new Error(`nothing to replace: ${String(from)}`);
  return edited;
}
