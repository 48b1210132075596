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
 * that answer its numbers. The types, the CRD and the REST representation are derived from this schema. Fields that all
 * carriers share come first.
 */

const message = z.string().min(1).max(1000);
const atOnce = z.int().min(1).max(10_000);

const boundNumber = z.strictObject({
  number: phoneNumber.clone().describe('Telephone number in E.164 format.'),
  agent: dnsLabel.clone().describe('Agent in the same namespace that answers this number.'),
  version: z
    .int()
    .min(1)
    .max(MAX_INT32)
    .describe('Version of the agent. Default: the version that is live when a call comes in.')
    .exactOptional(),
  hours: hours
    .clone()
    .describe(
      'Hours during which the number is answered. Default: always. Outside these hours, callers ' +
        'hear `hours.closedMessage` or, if it is not set, `inbound.closedMessage`.',
    )
    .exactOptional(),
});

const countryCode = z
  .string()
  .min(2)
  .max(2)
  .regex(
    ...saying(
      /^[A-Z]{2}$/,
      'must be a two-letter country code in capitals, such as GB (ISO 3166-1)',
    ),
  );

const outbound = z.strictObject({
  countries: z
    .array(countryCode)
    .min(1)
    .max(250)
    .meta(LIST_SET)
    .describe('Countries whose numbers may be called, as ISO 3166-1 codes.'),
  maxConcurrentCalls: atOnce
    .describe('Maximum number of concurrent outbound calls. Default: 10.')
    .exactOptional(),
  maxCallsPerMinute: atOnce
    .describe('Maximum number of calls placed per minute. Default: 60.')
    .exactOptional(),
  ringSec: z
    .int()
    .min(5)
    .max(600)
    .describe('Seconds to ring before the call counts as not answered. Default: 30.')
    .exactOptional(),
  voicemailMessage: message
    .clone()
    .describe('Text spoken if voicemail answers. Default: none.')
    .exactOptional(),
});

const inbound = z.strictObject({
  maxConcurrentCalls: atOnce
    .describe('Maximum number of concurrent inbound calls. Default: 100.')
    .exactOptional(),
  busyMessage: message
    .clone()
    .describe(
      'Text spoken to callers while the maximum number of inbound calls is in progress. Default: a busy tone.',
    )
    .exactOptional(),
  closedMessage: message
    .clone()
    .describe('Text spoken to callers if no agent can answer.')
    .exactOptional(),
});

/** Returns a list of what the field contains for each carrier, for use in the field's description. */
const ofEach = (field: 'accountId' | 'authToken'): string =>
  CARRIERS.map(({ name, provider }) => `for ${name}, ${provider.says[field]}`).join('; ');

const defaults = CARRIERS.map(({ provider }) => provider.apiUrl).join(' or ');

/**
 * Optional text fields that exist for only one carrier. The code reads them with `ownFieldsOf`, so the type of the spec
 * does not list them.
 */
const ownFields: object = Object.assign({}, ...CARRIERS.map(({ provider }) => provider.fields));

export const telephonyProviderSpec = z
  .strictObject({
    type: z
      .enum(CARRIER_TYPES)
      .describe("Type of the carrier's API. For a Twilio-compatible API, use twilio."),
    accountId: accountIdField
      .clone()
      .describe(`ID of the account at the carrier: ${ofEach('accountId')}.`),
    authTokenSecretRef: secretKeyRef
      .clone()
      .describe(
        `Secret with the token for the carrier's API: ${ofEach('authToken')}. ` +
          'It must carry the label parley.dev/allow: "true".',
      ),
    ...ownFields,
    apiUrl: baseUrl
      .clone()
      .describe(`Base URL of the carrier's API. Default: ${defaults}.`)
      .exactOptional(),
    numbers: z
      .array(boundNumber)
      .max(1000)
      .meta(listMap('number'))
      .describe(
        'Numbers of the account and the agents that answer them. Within a namespace, a number belongs to only one provider.',
      )
      .exactOptional(),
    outbound: outbound
      .describe('Settings for outbound calls. If absent, the provider may not place calls.')
      .exactOptional(),
    inbound: inbound
      .describe('Limit on inbound calls, and messages for callers whom no agent can answer.')
      .exactOptional(),
    metadata: metadataMap.exactOptional(),
  })
  .meta(rules(...CARRIERS.flatMap(({ provider }) => provider.rules)))
  .describe('Account at a carrier, and the agent that answers each of its numbers.');

export const telephonyProviderStatus = z
  .strictObject({
    observedGeneration,
    providerId: z.string().max(29).describe('ID in the REST API: tp_…').exactOptional(),
    numbers: z
      .int()
      .min(0)
      .max(1000)
      .describe('How many of the numbers an agent currently answers.')
      .exactOptional(),
    lastHandledReconcileAt: lastHandledReconcileAt.exactOptional(),
    conditions: conditions.exactOptional(),
  })
  .describe('Observed state of the provider.');

export type TelephonyProviderSpec = z.output<typeof telephonyProviderSpec>;
export type TelephonyProviderStatus = z.output<typeof telephonyProviderStatus>;
/** A number as declared. */
export type DeclaredNumber = z.output<typeof boundNumber>;

/** Maximum length of the token in characters, without surrounding white space. */
export const AUTH_TOKEN_MAX = 256;

/** Name of the provider that simulates calls. No TelephonyProvider may have this name. */
export const SIMULATED = 'simulated';
export const RESERVED_NAME =
  'the name `simulated` is reserved for simulated calls: choose another name';
