import { isDeepStrictEqual } from 'node:util';
import { ApiError } from '../errors.ts';
import { itemsThatFit } from '../platform/postgres/list-filters.ts';
import type { Pool } from '../platform/postgres/pool.ts';
import { listActivations, type AgentActivation } from './agent-activations.sql.ts';
import {
  listVersions,
  readVersion,
  type AgentVersion as VersionRow,
} from './agent-versions.sql.ts';
import { requireAgent } from './write-agent.ts';
import { numberCursor, numberPage, pageOf, pageSchema } from '../platform/http/cursor.ts';
import { idParam, versionParam } from '../platform/http/fields.ts';
import { route, type Route } from '../platform/http/route.ts';
import {
  Activation,
  activationView,
  AgentVersion,
  VersionDiff,
  versionView,
} from './agent.view.ts';

const tag = 'Agent versions';
const method = 'get';
const scope = 'read';
const id = idParam('agt', 'agent');

/** Returns the routes for the history of an agent: its versions and their activations (contract/agents.md#versions). */
export function agentVersionRoutes(deps: { pool: Pool }): Route[] {
  return [...versionRoutes(deps), activationsRoute(deps)];
}

function versionRoutes(deps: { pool: Pool }): Route[] {
  return [
    route({
      method,
      path: '/v1/agents/{id}/versions',
      operationId: 'listAgentVersions',
      tag,
      scope,
      summary: 'List versions, newest first',
      params: { id },
      query: numberPage('versions'),
      answers: { 200: { description: 'A page of versions.', schema: pageSchema(AgentVersion) } },
      handle: async ({ caller: { namespace }, params, query: { limit, cursor: before } }) => {
        const { id: agentId } = await requireAgent(deps, { namespace, ...params });
        const rows = await listVersions(deps.pool, { agentId, before, limit: limit + 1 });
        const page = {
          limit: itemsThatFit(rows, limit),
          view: versionView,
          cursorOf: (row: VersionRow) => numberCursor('versions', row.version),
        };
        return { status: 200, body: pageOf(rows, page) };
      },
    }),
    route({
      method,
      path: '/v1/agents/{id}/versions/{version}',
      tag,
      scope,
      operationId: 'getAgentVersion',
      summary: 'Read a version',
      params: { id, version: versionParam },
      answers: { 200: { description: 'The version.', schema: AgentVersion } },
      handle: async ({ caller: { namespace }, params }) => {
        const version = await requireVersion(deps, { namespace, id: params.id }, params.version);
        return { status: 200, body: versionView(version) };
      },
    }),
    route({
      method,
      path: '/v1/agents/{id}/versions/{from}/diff/{to}',
      tag,
      scope,
      operationId: 'diffAgentVersions',
      summary: 'Compare two versions',
      params: { id, from: versionParam, to: versionParam },
      answers: { 200: { description: 'The changes.', schema: VersionDiff } },
      handle: async ({ caller: { namespace }, params: { id: agent, from, to } }) => {
        const key = { namespace, id: agent };
        const before = versionView(await requireVersion(deps, key, from));
        const after = versionView(await requireVersion(deps, key, to));
        const changes = diffContent(before.content, after.content);
        return { status: 200, body: { from, to, changes } };
      },
    }),
  ];
}

function activationsRoute(deps: { pool: Pool }): Route {
  return route({
    method,
    path: '/v1/agents/{id}/activations',
    operationId: 'listActivations',
    tag,
    scope,
    summary: 'List activations, newest first',
    params: { id },
    query: numberPage('activations'),
    answers: { 200: { description: 'A page of activations.', schema: pageSchema(Activation) } },
    handle: async ({ caller: { namespace }, params, query: { limit, cursor: before } }) => {
      const { id: agentId } = await requireAgent(deps, { namespace, ...params });
      const rows = await listActivations(deps.pool, { agentId, before, limit: limit + 1 });
      const cursorOf = (row: AgentActivation) => numberCursor('activations', row.seq);
      return { status: 200, body: pageOf(rows, { limit, view: activationView, cursorOf }) };
    },
  });
}

/** Returns a version of an agent. @throws ApiError not_found */
async function requireVersion(
  deps: { pool: Pool },
  key: { namespace: string; id: string },
  version: number,
): Promise<VersionRow> {
  const { id: agentId } = await requireAgent(deps, key);
  const found = await readVersion(deps.pool, { agentId, version });
  if (!found) throw new ApiError('not_found', `The agent has no version ${version}.`);
  return found;
}

/** One difference between the contents of two versions. `path` is an RFC 6901 JSON Pointer. */
type Change = { path: string; before: unknown; after: unknown };

/**
 * Returns a minimal list of the differences between two contents. Compares objects key by key, tools by name, and other
 * lists and strings as a whole. `before` or `after` is `null` if that side lacks the value.
 */
export function diffContent(before: unknown, after: unknown, path = ''): Change[] {
  if (isDeepStrictEqual(before, after)) return [];
  const [a, b] = [keyed(before), keyed(after)];
  if (!a || !b) return [{ path, before: before ?? null, after: after ?? null }];
  const keys = [...new Set([...a.keys(), ...b.keys()])].sort();
  return keys.flatMap((key) => {
    const token = key.replaceAll('~', '~0').replaceAll('/', '~1');
    return diffContent(a.get(key), b.get(key), `${path}/${token}`);
  });
}

/**
 * Returns the members of an object by key, or the items of a list by their `name`. Returns `undefined` for any other
 * value, which is compared as a whole.
 */
function keyed(value: unknown): Map<string, unknown> | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (!Array.isArray(value)) return new Map(Object.entries(value));
  const names = value.map((item: unknown) =>
    typeof item === 'object' && item !== null && 'name' in item ? item.name : undefined,
  );
  if (!names.every((name) => typeof name === 'string')) return undefined;
  return new Map(names.map((name, i) => [name, value[i]]));
}
