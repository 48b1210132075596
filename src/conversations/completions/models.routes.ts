import { z } from 'zod';
import {
  listLiveAgents,
  readPublishedContent,
  type LiveAgent,
} from '../../agents/agent-versions.sql.ts';
import { ApiError } from '../../errors.ts';
import { fromUuid } from '../../ids.ts';
import { unixSec } from '../../platform/http/fields.ts';
import { route, type Route } from '../../platform/http/route.ts';
import type { Pool } from '../../platform/postgres/pool.ts';
import { Model, Models, readModelName } from './completion.view.ts';

/**
 * Maximum number of models in the list, which has no pages because OpenAI clients request only one. If there are more
 * agents, only the newest ones are listed.
 */
const MODELS_MAX = 10_000;

const tag = 'OpenAI';

/**
 * Returns the routes that present each agent of the namespace as a model to OpenAI clients (contract/openai.md#models).
 */
export function modelRoutes(deps: { pool: Pool }): Route[] {
  return [
    route({
      method: 'get',
      path: '/v1/models',
      operationId: 'listModels',
      tag,
      scope: 'read',
      errorShape: 'openai',
      summary: 'List agents as models',
      description:
        'Returns a single list without pages, as OpenAI does. Versions can be used as models ' +
        'but are not listed.',
      answers: { 200: { description: 'The agents, newest first.', schema: Models } },
      handle: async ({ caller: { namespace } }) => {
        const agents = await listLiveAgents(deps.pool, { namespace, limit: MODELS_MAX });
        const data = agents.map((agent) => modelView(agent, namespace));
        return { status: 200, body: { object: 'list', data } };
      },
    }),
    route({
      method: 'get',
      path: '/v1/models/{model}',
      operationId: 'getModel',
      tag,
      scope: 'read',
      errorShape: 'openai',
      summary: 'Read the model that represents an agent',
      params: {
        model: z.string().meta({
          description: 'ID of an agent, or of one of its versions that has been live.',
          example: 'agt_01jp502zav5003mbgrrbas9p8j@3',
        }),
      },
      answers: { 200: { description: 'The agent.', schema: Model } },
      handle: async ({ caller: { namespace }, params: { model } }) => {
        const { agentId: id, version } = requireModelName(model);
        const [agent] = await listLiveAgents(deps.pool, { namespace, id, limit: 1 });
        if (!agent) throw unknownModel();
        const key = { namespace, id, version: version ?? 0 };
        const isThere = version === undefined || (await readPublishedContent(deps.pool, key));
        if (!isThere) throw unknownModel();
        return { status: 200, body: { ...modelView(agent, namespace), id: model } };
      },
    }),
  ];
}

function modelView(agent: LiveAgent, namespace: string): z.output<typeof Model> {
  return {
    id: fromUuid('agt', agent.id),
    object: 'model',
    created: unixSec(agent.createdAt),
    owned_by: namespace,
    name: agent.displayName ?? agent.name,
  };
}

/**
 * Parses the name of a model.
 * @throws ApiError not_found
 */
export function requireModelName(name: string): { agentId: string; version: number | undefined } {
  const read = readModelName(name);
  if (!read) throw unknownModel();
  return read;
}

/** Returns the error for a model that cannot be used. By default, `detail` explains how to name a model. */
export function unknownModel(
  detail = 'There is no such model. Send the ID of an agent with a live version (agt_…), or of one of its ' +
    'versions that has been live (agt_…@3). GET /v1/models lists the agents.',
): ApiError {
  return new ApiError('not_found', detail, {
    errors: [{ pointer: '/model', code: 'model_not_found', detail }],
  });
}
