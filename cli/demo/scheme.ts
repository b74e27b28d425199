// The parties of the demo. They come from the seed data (db/seed), so that there is only one list of them.
import clearingSystemFile from '../../db/seed/clearing-systems.json' with { type: 'json' };
import institutionFile from '../../db/seed/institutions.json' with { type: 'json' };

interface DemoInstitution {
  readonly countryCode: string;
  readonly onboarded: boolean;
  readonly roles: readonly string[];
  readonly bics: readonly string[];
}
const institutions: readonly DemoInstitution[] = institutionFile;

/** All payment systems, each with its operator and the countries that the system serves. */
export const demoSystems: readonly {
  readonly clearingSystemId: string;
  readonly operatorId: string;
  readonly countryCodes: readonly string[];
}[] = clearingSystemFile;

export const demoCountries = [...new Set(demoSystems.flatMap(({ countryCodes }) => countryCodes))].sort();

const bicsOf = (isMeant: (one: DemoInstitution) => boolean): readonly string[] =>
  institutions.filter((one) => one.onboarded && isMeant(one)).flatMap(({ bics }) => bics.slice(0, 1));

export const demoFxpBics = bicsOf(({ roles }) => roles.includes('fxp'));

/** Returns the BICs of the onboarded PSPs of a country. */
export const demoPspBicsOf = (countryCode: string): readonly string[] =>
  bicsOf((one) => one.countryCode === countryCode && one.roles.includes('psp'));
