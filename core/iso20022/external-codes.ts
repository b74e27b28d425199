/**
 * The external code sets of ISO 20022 for checking coded elements: the shipped edition, or one that the process loaded
 * when it started. `coded-elements.ts` maps elements to sets. Workflows do not read them, because a workflow must not
 * depend on an edition.
 */
import { assert } from '../assert.ts';
import { ok, refused, type Result } from '../result.ts';
import shippedFile from './code-sets.json' with { type: 'json' };

/** The code sets that elements use, by the names that ISO gives them. */
export const isoNames = {
  /** `Purp/Cd`. */
  purpose: 'ExternalPurpose1Code',
  /** `PmtTpInf/CtgyPurp/Cd`. */
  categoryPurpose: 'ExternalCategoryPurpose1Code',
  /** `PmtTpInf/SvcLvl/Cd`. */
  serviceLevel: 'ExternalServiceLevel1Code',
  /** `PmtTpInf/LclInstrm/Cd`. */
  localInstrument: 'ExternalLocalInstrument1Code',
  /** `Tp/Cd` of an account. */
  accountType: 'ExternalCashAccountType1Code',
  /** `Othr/SchmeNm/Cd` of an account. */
  accountScheme: 'ExternalAccountIdentification1Code',
  /** `Prxy/Tp/Cd`. */
  proxyType: 'ExternalProxyAccountType1Code',
  /** `ClrSysMmbId/ClrSysId/Cd`. */
  memberSystem: 'ExternalClearingSystemIdentification1Code',
  /** `Othr/SchmeNm/Cd` of an organisation. */
  organisationScheme: 'ExternalOrganisationIdentification1Code',
  /** `Othr/SchmeNm/Cd` of a person. */
  personScheme: 'ExternalPersonIdentification1Code',
  /** `CdtrRefInf/Tp/CdOrPrtry/Cd`. */
  creditorReferenceType: 'ExternalCreditorReferenceType1Code',
  /** `InstrForCdtrAgt/Cd`. */
  creditorAgentInstruction: 'ExternalCreditorAgentInstruction1Code',
  /** `StsRsnInf/Rsn/Cd`. */
  statusReason: 'ExternalStatusReason1Code',
} as const;

export type CodeSetName = keyof typeof isoNames;

export interface CodeSets {
  /** ISO's name of the edition, e.g. `4Q2024`. */
  readonly edition: string;
  /** Publication date, `YYYY-MM-DD`. */
  readonly published: string;
  readonly codes: Readonly<Record<CodeSetName, ReadonlySet<string>>>;
}

const editionPattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,19}$/; // short enough for AddtlInf
const codePattern = /^[A-Z0-9]{1,35}$/;

/**
 * Reads an edition from the parsed JSON of a file. Sets that no element uses are ignored.
 * @returns the code sets, or a text that states the fault
 */
export function parseCodeSets(file: unknown): Result<CodeSets, string> {
  if (!isObject(file)) return refused('an object with edition, published and codeSets is expected');
  const { edition, published, codeSets: sets } = file;
  if (typeof edition !== 'string' || !editionPattern.test(edition)) {
    return refused('edition is up to 20 letters, digits, dots, hyphens or underscores, as in 4Q2024');
  }
  if (typeof published !== 'string' || !isDay(published)) {
    return refused('published is the date of publication, as in 2025-02-28');
  }
  if (!isObject(sets)) return refused('codeSets is an object: the list of codes by the name of each set');
  const codes: Partial<Record<CodeSetName, ReadonlySet<string>>> = {};
  for (const [name, isoName] of Object.entries(isoNames) as [CodeSetName, string][]) {
    const list = sets[isoName];
    if (!isCodes(list))
      return refused(`codeSets/${isoName} is a list of at least one code, as ISO publishes it`);
    codes[name] = new Set(list);
  }
  return ok({ edition, published, codes: codes as CodeSets['codes'] });
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isCodes = (value: unknown): value is readonly string[] =>
  Array.isArray(value) &&
  value.length > 0 &&
  value.every((one) => typeof one === 'string' && codePattern.test(one));

function isDay(text: string): boolean {
  const time = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

const shipped = parseCodeSets(shippedFile);
assert(shipped.ok, 'the shipped code sets are valid');
export const shippedCodeSets = shipped.value;

let loaded = shippedCodeSets;

/** The edition that this process checks against. */
export const codeSets = (): CodeSets => loaded;

/** Call this only while a process starts, before it judges any message (`xml/open-code-sets.ts`). */
export function setCodeSets(edition: CodeSets): void {
  loaded = edition;
}
