import { z } from 'zod';
import { CARRIER_TYPES, OWN_FIELDS } from '../../carriers/carriers.ts';
import type { SecretField } from '../../kinds/given-secret.ts';
import { defineKind } from '../../kinds/kind.ts';
import { withPlace } from '../../kinds/write-kind.ts';
import { phoneNumber } from '../../platform/resources/schema/field-types.ts';
import { toSnakeKey } from '../../platform/resources/schema/key-map.ts';
import { saying } from '../../platform/resources/schema/patterns.ts';
import { printerColumn } from '../../platform/resources/schema/kind-definition.ts';
import { providerFaults } from './provider-faults.ts';
import { deleteNumbers, HAS_NUMBER } from './telephony-numbers.sql.ts';
import {
  AUTH_TOKEN_MAX,
  RESERVED_NAME,
  SIMULATED,
  telephonyProviderSpec,
  telephonyProviderStatus,
} from './telephony-provider.ts';

const BoundNumber = z.strictObject({
  number: z.string().meta({ description: 'Telephone number in E.164 format.' }),
  agent: z.string().meta({ description: 'Name of the agent that answers the number.' }),
  version: z
    .int()
    .optional()
    .meta({ description: 'Version of the agent. If absent, the live version answers.' }),
  hours: z.record(z.string(), z.unknown()).optional().meta({
    description: 'Opening hours, as declared. If absent, calls to the number are always answered.',
  }),
});

/** Token that a request may contain in clear text. */
const AUTH_TOKEN: SecretField = {
  field: 'auth_token',
  ref: 'auth_token_secret_ref',
  sentTo: ['api_url', 'type'],
  schema: z
    .string()
    .min(1)
    .max(AUTH_TOKEN_MAX)
    .regex(...saying(/^[!-~]+$/, 'must be visible ASCII without spaces'))
    .describe(
      "Token for the carrier's API. Responses never contain it. Parley stores it in a Secret of its own and " +
        'sets `auth_token_secret_ref`. A new token replaces the previous one.',
    ),
  isRequired: true,
};

/** Names of the carrier-specific fields in the REST API. */
const OWN_NAMES = OWN_FIELDS.map(toSnakeKey);

/**
 * The resource kind TelephonyProvider: accounts at telephone carriers, and their numbers
 * (contract/telephony-providers.md). Responses never contain the token, only the reference to its Secret.
 */
export const TELEPHONY_PROVIDER_KIND = defineKind({
  kind: 'TelephonyProvider',
  idPrefix: 'tp',
  shortNames: ['tp'],
  description: 'An account at a telephone carrier, and the agent that answers each of its numbers.',
  spec: telephonyProviderSpec,
  status: telephonyProviderStatus,
  columns: [
    printerColumn('Type', 'string', '.spec.type', "The carrier's API."),
    printerColumn('Numbers', 'integer', '.status.numbers', 'How many of the numbers are active.'),
  ],
  selectableFields: ['.spec.type', '.spec.accountId'],
  homeField: 'accountId',
  secretColumn: 'auth_token',
  // The numbers are stored in a table of their own, so they are not part of the account.
  used: (spec) => {
    const { numbers: _, metadata: __, ...account } = spec;
    return account;
  },
  release: deleteNumbers,
  rest: {
    tag: 'Telephony',
    name: {
      written:
        'Name by which calls refer to the provider. Must be unique in the namespace and must not be `simulated`.',
      shown: 'Name by which calls refer to the provider. It never changes.',
    },
    shown: 'An account at a carrier and its numbers.',
    ready: 'Whether the declaration is active, including all its numbers.',
    describe: {
      create:
        'Sets which agent answers each number of an account at a carrier. Send the account’s token in `auth_token`, or ' +
        'set `auth_token_secret_ref` to a Secret in the namespace that has the label `parley.dev/allow: "true"`.',
      delete: "Parley stops answering the provider's numbers, and other providers can use them.",
    },
    fields: (readable) => ({
      type: z.enum(CARRIER_TYPES),
      account_id: z.string().meta({ description: 'ID of the account at the carrier.' }),
      ...readable('auth_token_secret_ref', ...OWN_NAMES, 'api_url', 'outbound', 'inbound'),
      numbers: z.array(BoundNumber).meta({ description: 'The declared numbers.' }),
    }),
    filters: { number: { schema: phoneNumber.clone().optional(), where: HAS_NUMBER } },
    secret: AUTH_TOKEN,
    derivedName: 'telephony',
    reservedNames: { [SIMULATED]: RESERVED_NAME },
    faults: providerFaults,
    explain: withPlace,
  },
  audit: {
    // The audit log includes the numbers, so that it shows, for example, who redirected a hotline.
    shown: [
      'type',
      'account_id',
      'auth_token_secret_ref',
      ...OWN_NAMES,
      'api_url',
      'numbers',
      'outbound',
      'inbound',
    ],
    gone: ['type', 'account_id', 'numbers'],
  },
});
