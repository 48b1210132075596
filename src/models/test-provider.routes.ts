import { z } from 'zod';
import { ApiError, found, type FieldError } from '../errors.ts';
import { givenElsewhere, originOf } from '../kinds/given-secret.ts';
import { secretPlace } from '../kinds/kind-rows.sql.ts';
import type { AddressGuard } from '../platform/egress/address-guard.ts';
import { checkUrl } from '../platform/egress/url-rules.ts';
import { idParam } from '../platform/http/fields.ts';
import { route, type Route } from '../platform/http/route.ts';
import type { Pool } from '../platform/postgres/pool.ts';
import type { Sealer } from '../platform/postgres/sealing.ts';
import type { RowKey } from '../platform/declare/declared-kind.ts';
import { applyMergePatch } from '../platform/resources/schema/key-map.ts';
import { endpointOf } from './model-endpoint.ts';
import { API_KEY, MODEL_PROVIDER_KIND } from './model-provider.kind.ts';
import type { ModelEndpoint, ModelErrorCode } from './model.ts';
import { testProvider, type ProviderTested, type TestProviderDeps } from './test-provider.ts';

export type TestProviderRoutesDeps = TestProviderDeps & {
  pool: Pool;
  sealer: Pick<Sealer, 'open'>;
  guard: AddressGuard;
};

const tag = 'Models';

const CODES = [
  'model_unreachable',
  'model_timeout',
  'model_unauthorized',
  'model_rate_limited',
  'model_refused',
  'model_content_filter',
  'model_failed',
  'model_invalid_answer',
] as const satisfies ModelErrorCode[];

const ModelProviderTest = z
  .strictObject({
    ok: z.boolean().describe('Whether the provider answered.'),
    checked: z
      .enum(['chat', 'models'])
      .describe(
        '`chat` if a message was sent to the default model. `models` if the provider has no ' +
          'default model, so that only the list of models was requested.',
      ),
    model: z.string().nullable().describe('Model that answered.'),
    text: z.string().nullable().describe('First 200 characters of the answer.'),
    latency_ms: z.int().describe('Duration of the request, in milliseconds.'),
    first_token_ms: z
      .int()
      .nullable()
      .describe('Time to the first part of the answer, in milliseconds.'),
    models: z
      .array(z.string())
      .nullable()
      .describe("The provider's models, at most 500. Null if it does not list them."),
    error: z
      .strictObject({
        code: z.enum(CODES).describe('Error code, the same as in the `error` of a turn.'),
        message: z.string().describe('The cause of the error and what to do about it.'),
      })
      .nullable(),
  })
  .meta({ id: 'ModelProviderTest', description: 'Result of testing a model provider.' });

const answers = { 200: { description: 'The result of the test.', schema: ModelProviderTest } };

const SENDS =
  'Sends a short message to the default model, and requests the list of models. Both requests carry the key ' +
  'and may cost money. Nothing is stored.';

/** Returns the routes that test a provider, before and after it is saved (contract/model-providers.md#tests). */
export function testProviderRoutes(deps: TestProviderRoutesDeps): Route[] {
  const { Write, Patch } = MODEL_PROVIDER_KIND.rest;
  return [
    route({
      method: 'post',
      path: '/v1/model_providers/test',
      operationId: 'testNewModelProvider',
      tag,
      scope: 'write',
      summary: 'Test a model provider before it is created',
      description: `${SENDS} The body is the same as in the create request. A key in a Secret can be tested only after the provider is created.`,
      body: { schema: Write },
      answers,
      handle: async ({ body, untilGone }) => {
        const { name = 'new', ...fields } = body;
        const endpoint = endpointWith(deps, name, { ...fields });
        return answerOf(await testProvider(deps, endpoint, untilGone()));
      },
    }),
    route({
      method: 'post',
      path: '/v1/model_providers/{id}/test',
      operationId: 'testModelProvider',
      tag,
      scope: 'write',
      summary: 'Test a model provider',
      description: `${SENDS} The body may contain changes, which are tested without being saved. If they change the origin of \`base_url\`, \`api_key\` is required, because the stored key is never sent to a new origin.`,
      params: { id: idParam('mp', 'model provider') },
      body: { schema: Patch, isOptional: true },
      answers,
      handle: async ({ caller: { namespace }, params: { id }, body, untilGone }) => {
        const saved = await savedWith(deps, { namespace, id }, body);
        if ('error' in saved) return answerOf(saved);
        return answerOf(await testProvider(deps, saved, untilGone()));
      },
    }),
  ];
}

function answerOf(tested: ProviderTested) {
  const { firstTokenMs, latencyMs, ...rest } = tested;
  const first = firstTokenMs === null ? null : Math.round(firstTokenMs);
  const body = { ok: rest.error === null, ...rest, latency_ms: latencyMs, first_token_ms: first };
  return { status: 200, body };
}

type Fields = Record<string, unknown>;

/** Returns a provider with the given fields and key. @throws ApiError invalid_body */
function endpointWith(
  { guard }: Pick<TestProviderRoutesDeps, 'guard'>,
  name: string,
  fields: Fields,
  storedKey?: string,
): ModelEndpoint {
  const { [API_KEY.field]: given, ...declared } = fields;
  const { [API_KEY.ref]: ref, base_url: url } = declared;
  if (typeof url !== 'string') throw refusal('base_url', 'required', 'must be set');
  const address = checkUrl(url, guard);
  if ('problem' in address) throw refusal('base_url', 'invalid_url', address.problem);
  if (storedKey === undefined && typeof given !== 'string' && ref !== undefined && ref !== null) {
    const detail = 'can be tested only after it is saved: send `api_key` to test a key now';
    throw refusal(API_KEY.ref, 'invalid_value', detail);
  }
  // The cast is safe: the route has parsed the fields, and `base_url` is set.
  const spec = MODEL_PROVIDER_KIND.rest.toSpec(
    declared as Parameters<typeof MODEL_PROVIDER_KIND.rest.toSpec>[0],
  );
  return endpointOf(name, spec, typeof given === 'string' ? given : storedKey);
}

/**
 * Returns a saved provider with the changes from a request, or a failed test if the provider is not active.
 * @throws ApiError not_found, invalid_body
 */
async function savedWith(
  deps: TestProviderRoutesDeps,
  key: RowKey,
  changes: Fields,
): Promise<ModelEndpoint | ProviderTested> {
  const { rows, rest, noun } = MODEL_PROVIDER_KIND;
  const row = found(await rows.read(deps.pool, key), noun);
  const active = await rows.readActive(deps.pool, key.id);
  const before = rest.fieldsOf(active?.spec ?? row.spec);
  const after = applyMergePatch(before, changes);
  const isNewKey = [API_KEY.field, API_KEY.ref].some((field) => changes[field] !== undefined);
  if (isNewKey) {
    if (changes[API_KEY.field] !== undefined) delete after[API_KEY.ref];
    return endpointWith(deps, row.name, after);
  }
  if (active === null && row.spec.apiKeySecretRef !== undefined) return notActive(row.message);
  const sealed = active?.secret ?? null;
  if (sealed !== null && originOf(before['base_url']) !== originOf(after['base_url'])) {
    throw givenElsewhere(API_KEY);
  }
  const stored = sealed && deps.sealer.open(sealed, secretPlace(MODEL_PROVIDER_KIND, key));
  return endpointWith(deps, row.name, after, stored ?? undefined);
}

function notActive(message: string): ProviderTested {
  const error = {
    code: 'model_refused',
    message: `The provider is not active: ${message}.`,
  } as const;
  const nothing = { model: null, text: null, firstTokenMs: null, latencyMs: 0, models: null };
  return { checked: 'models', ...nothing, error };
}

function refusal(field: string, code: string, detail: string): ApiError {
  const error: FieldError = { pointer: `/${field}`, code, detail };
  return new ApiError('invalid_body', `${field}: ${detail}`, { errors: [error] });
}
