import { randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { expect } from 'vitest';
import { maintainPartitions } from '../../../src/webhooks/queue/partitions.sql.ts';
import { createPool, isUnavailable, type Pool } from '../../../src/platform/postgres/pool.ts';
import { createLogger } from '../../../src/platform/observability/logger.ts';
import type { FaultyOperatorOptions } from './faulty-operator.ts';
import type { Kube } from '../../platform/kubernetes/kube.ts';
import { createActs, isOutage } from './operator-acts.ts';
import {
  newAgent,
  newEndpoint,
  reconcileAgent,
  type AgentModel,
  type EndpointModel,
  type Model,
} from './operator-model.ts';
import { createViewer, type View } from './operator-view.ts';
import { createTestDatabase } from '../../platform/postgres/postgres.ts';
import { until } from '../../until.ts';

/** Namespace and database of a test, with a model of both and functions that change them. */
export type OperatorHarness = {
  model: Model;
  /** Options of the operators. */
  options: Omit<FaultyOperatorOptions, 'name'>;
  pool: Pool;
  /** Changes the model, declares the change, and waits until everything matches the model. */
  changeAgent: (name: string, change: (agent: AgentModel) => void) => Promise<void>;
  changeEndpoint: (name: string, change: (endpoint: EndpointModel) => void) => Promise<void>;
  /** Replaces the secret, as another person. */
  rotateSecret: (name: string) => Promise<void>;
  /** Deletes the Secret. The operator must restore the same one. */
  loseSecret: (name: string) => Promise<void>;
  /** Fails with the difference if anything does not match the model in time. */
  agrees: () => Promise<void>;
  /** Releases the Lease if `holder` has it, as if it had expired. */
  endLease: (holder: string) => Promise<void>;
  /** Fails if an earlier version, activation or event is gone or changed. */
  onlyGrew: () => Promise<void>;
  close: () => Promise<void>;
};

/** Time limit longer than the longest back-off after an API server was unavailable for 15 s. */
const AGREES = { timeoutMs: 60_000, everyMs: 30 };

export async function createOperatorHarness(deps: {
  kube: Kube;
  namespace: string;
  agents: readonly string[];
  endpoints: readonly string[];
}): Promise<OperatorHarness> {
  const { kube, namespace } = deps;
  const database = await createTestDatabase();
  const log = createLogger('error', 'test');
  const pool = createPool(database.url, { log, max: 3 });
  await maintainPartitions(pool, Date.now());
  await guardLeadership(pool);
  await kube.makeNamespace(namespace);
  const encryptionKey = Buffer.alloc(32, 1);
  const model: Model = {
    agents: deps.agents.map(newAgent),
    endpoints: deps.endpoints.map(newEndpoint),
  };
  const acts = createActs({ kube, namespace });
  const viewer = createViewer({ kube, namespace, pool, encryptionKey, model, log });
  let grown = new Map<string, string>();

  async function look(): Promise<View | undefined> {
    try {
      return await viewer.look();
    } catch (error) {
      if (isOutage(error) || isUnavailable(error)) return undefined;
      throw error;
    }
  }

  async function agrees(): Promise<void> {
    let view: View | undefined;
    // Two processes and two servers are involved, so no single signal covers all of them.
    const isSo = async (): Promise<boolean> => {
      view = await look();
      return view !== undefined && isDeepStrictEqual(view.actual, view.expected);
    };
    await until('the API server or the database', isSo, AGREES).catch((error: unknown) => {
      expect(view?.actual).toEqual(view?.expected);
      throw error;
    });
    viewer.learn(view!);
  }

  const find = <T extends { name: string }>(items: readonly T[], name: string): T => {
    const found = items.find((item) => item.name === name);
    if (!found) throw new Error(`the model has no ${name}`);
    return found;
  };

  async function changeEndpoint(name: string, change: (endpoint: EndpointModel) => void) {
    const endpoint = find(model.endpoints, name);
    change(endpoint);
    if (endpoint.exists) endpoint.hadRow = true;
    else if (!endpoint.secretIsShared) endpoint.secret = undefined;
    await acts.declareEndpoint(endpoint);
    await agrees();
  }

  return {
    model,
    pool,
    options: {
      namespace,
      databaseUrl: database.url,
      encryptionKey: encryptionKey.toString('base64'),
      kube: { server: kube.url, caCert: kube.caCert, token: kube.token },
    },
    changeAgent: async (name, change) => {
      const agent = find(model.agents, name);
      const before = structuredClone(agent);
      change(agent);
      if (!agent.exists) agent.declared.pin = undefined; // The pin is deleted with the object.
      reconcileAgent(model, agent);
      await acts.declareAgent(agent, before);
      await agrees();
    },
    changeEndpoint,
    rotateSecret: async (name) => {
      const endpoint = find(model.endpoints, name);
      endpoint.secret = `whsec_${randomBytes(32).toString('base64')}`;
      endpoint.secretIsShared = true;
      await acts.declareSecret(endpoint);
      await agrees();
    },
    loseSecret: async (name) => {
      const endpoint = find(model.endpoints, name);
      endpoint.secretIsShared = false;
      await acts.deleteSecret(endpoint);
      await agrees();
    },
    agrees,
    endLease: async (holder) => {
      const lease = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases/parley-operator`;
      const free = { spec: { holderIdentity: '' } };
      const giveBack = async (): Promise<boolean> => {
        const { status, json } = await kube.request('GET', lease);
        if (status !== 200) return status === 404;
        const spec = json()['spec'] as { holderIdentity?: string };
        if (spec.holderIdentity !== holder) return true;
        const given = await kube.request('PATCH', lease, free, 'application/merge-patch+json');
        return given.status === 200;
      };
      // The API server may be unavailable at this moment.
      await until('the Lease to be given back', () => giveBack().catch(() => false), AGREES);
    },
    onlyGrew: async () => {
      const now = await readHistory(pool);
      const changed = [...grown].filter(([key, value]) => now.get(key) !== value);
      expect(changed).toEqual([]);
      grown = now;
    },
    close: async () => {
      await pool.end();
      await database.drop();
    },
  };
}

/** Returns the contents of all rows that are written once and never change, by their identity. */
async function readHistory(pool: Pool): Promise<Map<string, string>> {
  const { rows } = await pool.query<{ key: string; value: string }>(
    `select concat('version ', agent_id, ' ', version) as key, v::text as value from agent_versions v
     union all select concat('activation ', agent_id, ' ', seq), a::text from agent_activations a
     union all select concat('event ', id), e::text from events e`,
  );
  return new Map(rows.map(({ key, value }) => [key, value]));
}

/**
 * Makes the database record writes of processes that do not lead. The operators of the suite name their process in
 * `application_name`, as `leader_epochs.holder` does.
 */
async function guardLeadership(pool: Pool): Promise<void> {
  const tables = ['agents', 'agent_versions', 'agent_activations', 'webhook_endpoints', 'events'];
  await pool.query(`
    create table trespasses (at timestamptz default clock_timestamp(), line text);
    create function note_trespass() returns trigger language plpgsql as $$
      declare leader leader_epochs;
      declare writer text := current_setting('application_name');
      begin
        select * into leader from leader_epochs where name = 'operator';
        if writer like 'operator/%'
           and split_part(writer, '/', 2) is distinct from split_part(leader.holder, '/', 2) then
          insert into trespasses (line) values
            (concat_ws(' ', writer, tg_op, tg_table_name, 'in epoch', leader.epoch, leader.holder));
        end if;
        return null;
      end $$;
    ${tables
      .map(
        (table) => `create trigger note_trespass after insert or update or delete on ${table}
          for each row execute function note_trespass();`,
      )
      .join('\n')}`);
}
