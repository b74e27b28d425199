// What tests of the dry run share: its answer, and how it is told in a line.

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
