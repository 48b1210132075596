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
  number: phoneNumber.clone().describe('Telephone number in E.164, such as +442071838750.'),
  agent: dnsLabel.clone().describe('Agent of the same namespace that answers it.'),
  version: z
    .int()
    .min(1)
    .max(MAX_INT32)
    .describe('Version of that agent; default: the version that is live when a call comes in.')
    .exactOptional(),
  hours: hours
    .clone()
    .describe(
      'Hours in which the number is answered. Default: always. Outside these hours, the ' +
        'caller hears their closedMessage, or else the closedMessage of inbound.',
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
      'must be a country code of two capital letters, such as GB (ISO 3166-1)',
    ),
  );

const outbound = z.strictObject({
  countries: z
    .array(countryCode)
    .min(1)
    .max(250)
    .meta(LIST_SET)
    .describe('ISO 3166-1 codes of the countries whose numbers may be called.'),
  maxConcurrentCalls: atOnce
    .describe('Maximum number of concurrent outbound calls; default 10.')
    .exactOptional(),
  maxCallsPerMinute: atOnce
    .describe('Maximum number of calls placed per minute; default 60.')
    .exactOptional(),
  ringSec: z
    .int()
    .min(5)
    .max(600)
    .describe('Seconds to ring before the call counts as not answered; default 30.')
    .exactOptional(),
  voicemailMessage: message
    .clone()
    .describe('Text spoken to a voicemail that answers; default: none.')
    .exactOptional(),
});

const inbound = z.strictObject({
  maxConcurrentCalls: atOnce
    .describe('Maximum number of concurrent inbound calls; default 100.')
    .exactOptional(),
  busyMessage: message
    .clone()
    .describe(
      'Text spoken to callers while maxConcurrentCalls is reached; default: they hear the busy tone.',
    )
    .exactOptional(),
  closedMessage: message
    .clone()
    .describe('Text spoken to a caller if no agent can answer.')
    .exactOptional(),
});

/** Returns a description of a shared field with its meaning for each carrier. */
const ofEach = (field: 'accountId' | 'authToken'): string =>
  CARRIERS.map(({ name, provider }) => `for ${name} ${provider.says[field]}`).join(', ');

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
      .describe("The carrier's API; twilio also fits carriers with a compatible API."),
    accountId: accountIdField
      .clone()
      .describe(`Id of the account at the carrier; ${ofEach('accountId')}.`),
    authTokenSecretRef: secretKeyRef
      .clone()
      .describe(
        `Secret with the token for the carrier's API; ${ofEach('authToken')}. ` +
          'It must carry the label parley.dev/allow: "true".',
      ),
    ...ownFields,
    apiUrl: baseUrl
      .clone()
      .describe(`Base URL of the carrier's API; default: ${defaults}.`)
      .exactOptional(),
    numbers: z
      .array(boundNumber)
      .max(1000)
      .meta(listMap('number'))
      .describe(
        'Numbers of the account and the agents that answer them. Within a namespace, a number belongs to one provider only.',
      )
      .exactOptional(),
    outbound: outbound
      .describe('Countries and number of calls it may place; default: it places none.')
      .exactOptional(),
    inbound: inbound
      .describe('Limit of inbound calls, and the texts for callers whom no agent can answer.')
      .exactOptional(),
    metadata: metadataMap.exactOptional(),
  })
  .meta(rules(...CARRIERS.flatMap(({ provider }) => provider.rules)))
  .describe('Account at a carrier, and the agent that answers each number.');

export const telephonyProviderStatus = z
  .strictObject({
    observedGeneration,
    providerId: z.string().max(29).describe('Id in the REST API, tp_…').exactOptional(),
    numbers: z
      .int()
      .min(0)
      .max(1000)
      .describe('Number of active numbers, which an agent answers.')
      .exactOptional(),
    lastHandledReconcileAt: lastHandledReconcileAt.exactOptional(),
    conditions: conditions.exactOptional(),
  })
  .describe('Observed state of the provider.');

export type TelephonyProviderSpec = z.output<typeof telephonyProviderSpec>;
export type TelephonyProviderStatus = z.output<typeof telephonyProviderStatus>;
/** A number in the form of the declaration. */
export type DeclaredNumber = z.output<typeof boundNumber>;

/** Maximum number of characters of the token, without surrounding white space. */
export const AUTH_TOKEN_MAX = 256;

/** Name of the provider that simulates calls. No TelephonyProvider may have this name. */
export const SIMULATED = 'simulated';
export const RESERVED_NAME =
  'the name `simulated` is reserved for calls without a telephone: choose another name';
