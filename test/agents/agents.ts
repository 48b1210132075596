import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { ApiError } from '../../src/errors.ts';
import type { Resource } from '../../src/platform/resources/resource-store.ts';
import type { AgentRow } from '../../src/agents/agents.sql.ts';
import { createAwaitProjection } from '../../src/platform/declare/await-projection.ts';
import type { EndpointWriterDeps } from '../../src/webhooks/endpoints/write-endpoint.ts';
import type { Engine } from '../roles/engine.ts';

/** What the use cases behind the REST API are given, without its HTTP. */
export function apiDeps(engine: Engine): EndpointWriterDeps {
  const { pool, store, guard, sealer, limits, onProjected } = engine;
  const nowMs = Date.now;
  return {
    pool,
    store,
    guard,
    sealer,
    limits,
    nowMs,
    // Nobody follows changes here.
    notifier: { notify: () => undefined },
    awaitProjection: createAwaitProjection({ onProjected, nowMs }),
  };
}

/** The row of the live agent of this name. */
export async function agentRow(engine: Engine, name: string): Promise<AgentRow | undefined> {
  const { rows } = await engine.pool.query<AgentRow>(
    `select id, name, spec, uid, generation, active_version as "activeVersion", ready, reason, message,
            latest_version as "latestVersion", managed_by as "managedBy" from agents
      where name = $1 and namespace = 'default' and deleted_at is null`,
    [name],
  );
  return rows[0];
}

/** The log of what was live when: `published null>1 kubernetes:kubectl`, oldest first. */
export async function activations(engine: Engine, name?: string): Promise<string[]> {
  const { rows } = await engine.pool.query<{ line: string }>(
    `select concat(action, ' ', coalesce(from_version::text, 'null'), '>', to_version, ' ', actor,
                   case when a.reason is null then '' else ': ' || a.reason end) as line
       from agent_activations a join agents on agents.id = agent_id
      where $1::text is null or name = $1 order by a.at, seq`,
    [name ?? null],
  );
  return rows.map(({ line }) => line);
}

/** The same by the events, in the words of `activations`. */
export async function events(engine: Engine, name?: string): Promise<string[]> {
  const { rows } = await engine.pool.query<{ body: Buffer }>(
    `select body from events where type like 'agent.%' order by id`,
  );
  type Emitted = { type: string; data: Record<string, string | number | null> };
  return rows
    .map(({ body }) => JSON.parse(body.toString()) as Emitted)
    .filter(({ data }) => name === undefined || data['name'] === name)
    .map(({ type, data }) => {
      const from = type === 'agent.rolled_back' ? data['from_version'] : data['previous_version'];
      const reason = data['reason'] ? `: ${data['reason']}` : '';
      return `${type.slice('agent.'.length)} ${from}>${data['version']} ${data['actor']}${reason}`;
    });
}

/** Versions of the agents of this name, also of deleted ones; of all agents without it. */
export async function countVersions(engine: Engine, name?: string): Promise<number> {
  const { rows } = await engine.pool.query<{ n: number }>(
    `select count(*)::int as n from agent_versions v join agents a on a.id = v.agent_id
      where $1::text is null or a.name = $1`,
    [name ?? null],
  );
  return rows[0]!.n;
}

/** The refusal of a call: code, status and what it says; anything else it throws is thrown on. */
export async function refusal(
  call: Promise<unknown>,
): Promise<{ code: string; status: number; detail: string; pointers: string[] }> {
  try {
    await call;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { code, status, message: detail } = error;
    return { code, status, detail, pointers: error.errors.map(({ pointer }) => pointer) };
  }
  throw new Error('it was not refused');
}

const condition = z.object({
  type: z.string(),
  status: z.string(),
  reason: z.string(),
  message: z.string(),
  lastTransitionTime: z.string(),
  observedGeneration: z.int(),
});
const conditions = z.array(condition).default([]);
export type ReportedCondition = z.output<typeof condition>;

/** What the status says, by type of condition. */
export function conditionsOf(resource: Resource | undefined): Record<string, ReportedCondition> {
  const reported = conditions.parse(resource?.status['conditions']);
  return Object.fromEntries(reported.map((one) => [one.type, one]));
}

/** Resolves with the condition of that type once it is as expected. The namespace defaults to `default`. */
export function awaitCondition(
  engine: Engine,
  object: { kind: string; name: string; namespace?: string },
  expected: Partial<ReportedCondition> & { type: string },
): Promise<ReportedCondition> {
  const key = { namespace: object.namespace ?? 'default', name: object.name };
  const read = async () => conditionsOf(await engine.store.get(object.kind, key));
  return engine.eventually(async () => {
    const found = (await read())[expected.type];
    return found && isDeepStrictEqual({ ...found, ...expected }, found) && found;
  }, read);
}
