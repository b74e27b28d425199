// Endpoints 6 to 8: the kinds of recipient address of a country. Each kind has form fields, with the XPath
// that each field fills.
import { z } from '@hono/zod-openapi';
import type { JsonObject, JsonValue } from '../../core/money/money.ts';
import type { AddressInput, AddressType, ReferenceData } from '../../core/scheme/reference.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { countryCode } from '../http/input/parameters.ts';
import { referenceAnswer, referenceRoute } from '../http/reference-answer.ts';
import type { Router } from '../http/route.ts';
import { refuse, unknownCountry } from '../http/problems/told.ts';
import { component } from '../http/component.ts';

const countryField = { parameter: 'countryCode' };

const inputSchema = component('AddressInput', {
  addressInputId: z.string(),
  label: z
    .strictObject({
      addressTypeCode: z.string(),
      title: z
        .record(z.string(), z.string())
        .openapi({ example: { en: 'Account number', de: 'Kontonummer' } }),
    })
    .optional()
    .openapi({ description: 'Absent for hidden inputs' }),
  attributes: z.strictObject({
    name: z.string(),
    type: z.string(),
    pattern: z.string().nullable().optional(),
    placeholder: z.string().optional(),
    required: z.boolean(),
    value: z.string().optional().openapi({ description: 'Hidden inputs only: the fixed value to send' }),
  }),
  iso20022XPath: z
    .strictObject({ acmt023: z.string().nullable(), pacs008: z.string().nullable() })
    .openapi({ description: 'Element that receives the value; null: none in that message' }),
});
const inputsSchema = z.array(inputSchema).openapi('AddressInputs');

const typeFields = {
  addressTypeId: z.string(),
  countries: z.array(z.string()),
  addressTypeCode: z.string().openapi({ example: 'ACCT' }),
  clearingSystemId: z.string().optional().openapi({ description: 'Account types only' }),
  proxyDirectoryId: z.string().optional().openapi({ description: 'Proxy types only' }),
  displayOrder: z.int(),
};
const typesSchema = z.array(component('AddressType', typeFields)).openapi('AddressTypes');
const typesAndInputsSchema = z
  .array(component('AddressTypeAndInputs', { ...typeFields, inputs: inputsSchema }))
  .openapi('AddressTypesAndInputs');

const addressTypeId = z
  .string()
  .regex(/^[!-~]{1,70}$/, 'must be 1 to 70 printable ASCII characters without spaces, as in SGDFAST-ACCT')
  .openapi({ example: 'SGDFAST-ACCT' });

export function addressTypeRoutes(router: Router, deps: ApiDependencies): void {
  const common = referenceRoute(deps.reference.current);
  const ofCountry = { params: z.object({ countryCode }), problems: ['unknown-country'] as const };
  router.add(
    {
      ...common,
      ...ofCountry,
      path: '/countries/{countryCode}/address-types-and-inputs',
      operationId: 'listAddressTypesAndInputs',
      summary: 'Address types of a country with their inputs (endpoint 6)',
      answer: { description: 'In display order', schema: typesAndInputsSchema },
    },
    ({ params, context }) => {
      const data = deps.reference.current();
      if (!data.countries.has(params.countryCode)) return unknownCountry(countryField, params.countryCode);
      const value = typesOf(data, params.countryCode).map((type) => ({
        ...fieldsOf(type),
        inputs: inputsOf(data, type),
      }));
      return referenceAnswer(context, data, value);
    },
  );
  router.add(
    {
      ...common,
      ...ofCountry,
      path: '/countries/{countryCode}/address-types',
      operationId: 'listAddressTypes',
      summary: 'Address types of a country (endpoint 7)',
      answer: { description: 'In display order', schema: typesSchema },
    },
    ({ params, context }) => {
      const data = deps.reference.current();
      if (!data.countries.has(params.countryCode)) return unknownCountry(countryField, params.countryCode);
      const value = typesOf(data, params.countryCode).map(fieldsOf);
      return referenceAnswer(context, data, value);
    },
  );
  router.add(
    {
      ...common,
      path: '/address-types/{addressTypeId}/inputs',
      operationId: 'listAddressInputs',
      summary: 'Inputs of an address type (endpoint 8)',
      params: z.object({ addressTypeId }),
      problems: ['unknown-address-type'],
      answer: { description: 'In the order of the form', schema: inputsSchema },
    },
    ({ params, context }) => {
      const data = deps.reference.current();
      const type = data.addressTypes.get(params.addressTypeId);
      if (type === undefined) {
        const id = params.addressTypeId;
        const detail = `There is no address type ${id}; GET /countries/{countryCode}/address-types lists those of a country.`;
        return refuse('unknown-address-type', { parameter: 'addressTypeId' }, detail);
      }
      return referenceAnswer(context, data, inputsOf(data, type));
    },
  );
}

/** Returns the address types of a country. The snapshot keeps them in display order. */
function typesOf(data: ReferenceData, country: string): AddressType[] {
  return [...data.addressTypes.values()].filter((type) => type.countryCodes.includes(country));
}

function fieldsOf(type: AddressType): JsonObject {
  return {
    addressTypeId: type.addressTypeId,
    countries: type.countryCodes,
    addressTypeCode: type.addressTypeCode,
    clearingSystemId: type.clearingSystemId ?? undefined,
    proxyDirectoryId: type.proxyDirectoryId ?? undefined,
    displayOrder: type.displayOrder,
  };
}

function inputsOf(data: ReferenceData, type: AddressType): JsonObject[] {
  return type.inputIds.flatMap((inputId) => {
    const input = data.addressInputs.get(inputId);
    return input === undefined ? [] : [renderInput(input)];
  });
}

/**
 * Renders an input field. Label, attributes and XPaths are stored as JSON in the specification's form, and
 * returned unchanged.
 */
function renderInput(input: AddressInput): JsonObject {
  return {
    addressInputId: input.addressInputId,
    label: (input.label ?? undefined) as JsonValue,
    attributes: input.attributes as JsonValue,
    iso20022XPath: input.iso20022XPath as JsonValue,
  };
}
