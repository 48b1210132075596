/** Models over stubs on loopback, and what tests say of them often. */
import { createModels } from '../../src/models/create-models.ts';
import type {
  Model,
  ModelChoice,
  ModelEndpoint,
  ModelMessage,
  ModelReply,
  ModelRequest,
} from '../../src/models/model.ts';
import { ModelError } from '../../src/models/model.ts';
import { createAddressGuard } from '../../src/platform/egress/address-guard.ts';
import { createEgressFetch } from '../../src/platform/egress/fetch.ts';
import type { HeldClock } from '../clock.ts';
import {
  startStubModel,
  STUB_KEY,
  type StubBody,
  type StubModel,
  type StubReply,
} from './stub-model.ts';

const stops: (() => Promise<void>)[] = [];

/** Call after each test. */
export async function stopAll(): Promise<void> {
  for (const stop of stops.splice(0).toReversed()) await stop();
}

export async function stubModel(...args: Parameters<typeof startStubModel>): Promise<StubModel> {
  const stub = await startStubModel(...args);
  stops.push(stub.stop);
  return stub;
}

/** Starts a server that refuses each request for which `problem` returns a reply. */
export async function pickyStub(
  problem: (body: StubBody) => StubReply | undefined,
): Promise<StubModel> {
  const stub = await stubModel();
  stub.answer(({ body }) => problem(body) ?? { text: 'We open at nine.' });
  return stub;
}

export const refuse = (status: number, message: string, more: object = {}): StubReply => ({
  status,
  body: JSON.stringify({ error: { message, type: 'invalid_request_error', ...more } }),
});

export const said = (role: 'user' | 'system', content: string): ModelMessage => ({ role, content });
export const replied = (content: string): ModelMessage => ({ role: 'assistant', content });

export function endpointOf(url: string, more: Partial<ModelEndpoint> = {}): ModelEndpoint {
  return {
    provider: 'stub',
    baseUrl: url,
    apiKey: STUB_KEY,
    apiKeyHeader: 'authorization',
    organization: undefined,
    project: undefined,
    headers: {},
    query: {},
    defaultModel: 'stub-1',
    allowedModels: [],
    timeouts: { firstTokenMs: 15_000, betweenTokensMs: 15_000, totalMs: 25_000 },
    maxConcurrent: null,
    pricing: null,
    ...more,
  };
}

/** `endpoints`: by the name of the provider; `default` is that of the settings. */
export async function modelOf(
  endpoints: Record<string, ModelEndpoint>,
  choice: ModelChoice = {},
): Promise<Model> {
  const client = createEgressFetch({ guard: createAddressGuard({ allow: ['127.0.0.0/8'] }) });
  stops.push(client.stop);
  const find = createModels({
    findEndpoint: async (_namespace, name) => endpoints[name ?? 'default'],
    fetch: client.fetch,
    random: () => 0,
  });
  const model = await find({ namespace: 'default', model: choice });
  if (model === undefined) throw new Error('no model');
  return model;
}

/** Lets the pauses before the second and the third attempt pass. */
export async function passRetries(time: HeldClock): Promise<void> {
  for (const pauseMs of [125, 250]) {
    await time.armed(pauseMs);
    await time.advance(pauseMs);
  }
}

/** A model of one stub. */
export async function plainModel(url: string, more: Partial<ModelEndpoint> = {}): Promise<Model> {
  return await modelOf({ default: endpointOf(url, more) });
}

export type Told = { texts: string[]; request: ModelRequest; abort: AbortController };

/** A request, what it tells on the way, and a way to give it up. */
export function asking(more: Partial<ModelRequest> = {}): Told {
  const texts: string[] = [];
  const abort = new AbortController();
  const request: ModelRequest = {
    messages: [
      { role: 'system', content: 'You answer for a bakery.' },
      { role: 'user', content: 'When do you open?' },
    ],
    tools: [],
    signal: abort.signal,
    onText: (text) => texts.push(text),
    ...more,
  };
  return { texts, request, abort };
}

export async function ask(model: Model, more: Partial<ModelRequest> = {}): Promise<ModelReply> {
  return await model(asking(more).request);
}

/** The error of a model that has to fail. */
export async function failureOf(reply: Promise<ModelReply>): Promise<ModelError> {
  const outcome = await reply.catch((error: unknown) => error);
  if (outcome instanceof ModelError) return outcome;
  throw new Error(`no ModelError: ${JSON.stringify(outcome)}`, { cause: outcome });
}
