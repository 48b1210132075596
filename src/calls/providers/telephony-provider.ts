import { z } from 'zod';
import {
  baseUrl,
  conditions,
  dnsLabel,
  lastHandledReconcileAt,
  LIST_SET,
  listMap,
  MAX_INT32,
  metadataMap,
  observedGeneration,
  phoneNumber,
  rules,
  secretKeyRef,
} from '../../platform/resources/schema/field-types.ts';
import { hours } from '../../agents/agent-hours.ts';
import { accountIdField } from '../../carriers/account-id.ts';
import { CARRIER_TYPES, CARRIERS } from '../../carriers/carriers.ts';
import { saying } from '../../platform/resources/schema/patterns.ts';

/**
 * Schema of the kind TelephonyProvider (contract/custom-resources.md#spec): an account at a carrier, and the agents
 * that are bound to its numbers. The types, the CRD and the REST shape are derived from it. The fields that all
 * carriers share come first.
 */

const message = z.string().min(1).max(1000);
const atOnce = z.int().min(1).max(10_000);

const boundNumber = z.strictObject({
  number: phoneNumber.clone().describe('In E.164, as in +442071838750.'),
  agent: dnsLabel.clone().describe('Agent of the same namespace that answers it.'),
  version: z
    .int()
    .min(1)
    .max(MAX_INT32)
    .describe('Version of that agent; absent: the one that is live when a call comes.')
    .exactOptional(),
  hours: hours
    .clone()
    .describe(
      'When it is answered; absent: always. Outside of them the caller hears closedMessage, or that of inbound.',
    )
    .exactOptional(),
});

const countryCode = z
  .string()
  .min(2)
  .max(2)
  .regex(...saying(/^[A-Z]{2}$/, 'must be a country of two capitals, such as GB (ISO 3166-1)'));

const outbound = z.strictObject({
  countries: z
    .array(countryCode)
    .min(1)
    .max(250)
    .meta(LIST_SET)
    .describe('Countries whose numbers may be called, by their ISO 3166-1 codes.'),
  maxConcurrentCalls: atOnce.describe('Most calls at once; 10 when absent.').exactOptional(),
  maxCallsPerMinute: atOnce
    .describe('Most calls that are begun in a minute; 60 when absent.')
    .exactOptional(),
  ringSec: z
    .int()
    .min(5)
    .max(600)
    .describe('How long it rings before nobody has answered; 30 seconds when absent.')
    .exactOptional(),
  voicemailMessage: message
    .clone()
    .describe('Said to a machine that answers; absent: nothing is.')
    .exactOptional(),
});

const inbound = z.strictObject({
  maxConcurrentCalls: atOnce.describe('Most calls at once; 100 when absent.').exactOptional(),
  busyMessage: message
    .clone()
    .describe('Said to a caller beyond that; absent: they hear that it is busy.')
    .exactOptional(),
  closedMessage: message
    .clone()
    .describe('Said to a caller whom no agent can answer.')
    .exactOptional(),
});

/** Returns a description of a shared field with its meaning for each carrier. */
const ofEach = (field: 'accountId' | 'authToken'): string =>
  CARRIERS.map(({ name, provider }) => `of ${name} ${provider.says[field]}`).join(', ');

const defaults = CARRIERS.map(({ provider }) => provider.apiUrl).join(' or ');

/**
 * Optional text fields that exist for only one carrier. The code reads them with `ownFieldsOf`, so the type of a spec
 * does not list them.
 */
const ownFields: object = Object.assign({}, ...CARRIERS.map(({ provider }) => provider.fields));

export const telephonyProviderSpec = z
  .strictObject({
    type: z
      .enum(CARRIER_TYPES)
      .describe('How the carrier is spoken to; twilio also for others that speak as it does.'),
    accountId: accountIdField
      .clone()
      .describe(`The account's id at the carrier; ${ofEach('accountId')}.`),
    authTokenSecretRef: secretKeyRef
      .clone()
      .describe(
        `Secret with the token that opens the carrier's API; ${ofEach('authToken')}. ` +
          'It must carry the label parley.dev/allow: "true".',
      ),
    ...ownFields,
    apiUrl: baseUrl
      .clone()
      .describe(`Base of the carrier's API; absent: ${defaults}.`)
      .exactOptional(),
    numbers: z
      .array(boundNumber)
      .max(1000)
      .meta(listMap('number'))
      .describe('Its numbers and who answers them; a number stands in one provider of a namespace.')
      .exactOptional(),
    outbound: outbound
      .describe('Whom it may call, and how many; absent: nobody is called by it.')
      .exactOptional(),
    inbound: inbound
      .describe('How many may call at once, and what else they hear.')
      .exactOptional(),
    metadata: metadataMap.exactOptional(),
  })
  .meta(rules(...CARRIERS.flatMap(({ provider }) => provider.rules)))
  .describe('How a carrier is reached, and which agent answers which number.');

export const telephonyProviderStatus = z
  .strictObject({
    observedGeneration,
    providerId: z.string().max(29).describe('Id in the REST API, tp_…').exactOptional(),
    numbers: z
      .int()
      .min(0)
      .max(1000)
      .describe('How many of its numbers are in force: an agent answers them.')
      .exactOptional(),
    lastHandledReconcileAt: lastHandledReconcileAt.exactOptional(),
    conditions: conditions.exactOptional(),
  })
  .describe('What is known about the provider.');

export type TelephonyProviderSpec = z.output<typeof telephonyProviderSpec>;
export type TelephonyProviderStatus = z.output<typeof telephonyProviderStatus>;
/** A number in the form of the declaration. */
export type DeclaredNumber = z.output<typeof boundNumber>;

/** Maximum number of characters of the token, without surrounding white space. */
export const AUTH_TOKEN_MAX = 256;

/** Name of the provider that simulates calls. No TelephonyProvider may have this name. */
export const SIMULATED = 'simulated';
export const RESERVED_NAME =
  'simulated is the provider that plays calls without a telephone: give this one another name';
