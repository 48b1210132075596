import type { Pool } from '../../../src/platform/postgres/pool.ts';

/** Content of the database in a form that can be compared with the model. */
export type Tables = {
  agents: AgentTableRow[];
  endpoints: EndpointTableRow[];
  /** Lines such as `2 its prompt`, in the order of the versions. */
  versions: { agent: string; line: string }[];
  /** Activations in the order of the log. `event` is the content of the event, in the form of `line`. */
  activations: { agent: string; line: string; event: string | null; endpoints: string[] }[];
  /** Number of events of all agents. */
  eventCount: number;
  /** Number of waiting deliveries to deleted endpoints. */
  leftInQueue: number;
  /** Writes by processes that were not the leader (see guardLeadership). */
  trespasses: string[];
};

export type AgentTableRow = {
  id: string;
  name: string;
  uid: string;
  generation: number;
  prompt: string | null;
  activeVersion: number | null;
  latestVersion: number;
  ready: boolean;
  reason: string;
  isDeleted: boolean;
};

export type EndpointTableRow = {
  id: string;
  name: string;
  uid: string;
  generation: number;
  url: string;
  description: string;
  eventTypes: string[];
  enabled: boolean;
  secret: Buffer | null;
  ready: boolean;
  reason: string;
  isDeleted: boolean;
};

export async function readTables(pool: Pool): Promise<Tables> {
  const read = async <Row extends object>(sql: string): Promise<Row[]> =>
    (await pool.query<Row>(sql)).rows;
  const counts = await read<Pick<Tables, 'eventCount' | 'leftInQueue'>>(COUNTS);
  const trespasses = await read<{ line: string }>('select line from trespasses order by at');
  const activations = await read<ActivationRow>(ACTIVATIONS);
  return {
    agents: await read<AgentTableRow>(AGENTS),
    endpoints: await read<EndpointTableRow>(ENDPOINTS),
    versions: await read<{ agent: string; line: string }>(VERSIONS),
    activations: activations.map(({ body, ...row }) => ({ ...row, event: body && lineOf(body) })),
    eventCount: counts[0]?.eventCount ?? 0,
    leftInQueue: counts[0]?.leftInQueue ?? 0,
    trespasses: trespasses.map(({ line }) => line),
  };
}

const AGENTS = `
  select id, name, uid, generation, spec->>'prompt' as prompt, active_version as "activeVersion",
         latest_version as "latestVersion", ready, reason, deleted_at is not null as "isDeleted"
    from agents`;

const ENDPOINTS = `
  select id, name, uid, generation, url, description, event_types as "eventTypes", enabled, secret,
         ready, reason, deleted_at is not null as "isDeleted"
    from webhook_endpoints`;

const VERSIONS = `
  select name as agent, concat(version, ' ', content->>'prompt') as line
    from agent_versions join agents on agents.id = agent_id order by version`;

const ACTIVATIONS = `
  select a.name as agent, e.body,
         concat(action, ' ', coalesce(from_version::text, 'null'), '>', to_version, ' ', actor) as line,
         array(select w.name
                 from (select event_id, endpoint_id from delivery_queue
                       union all select event_id, endpoint_id from deliveries) d
                 join webhook_endpoints w on w.id = endpoint_id
                where d.event_id = l.event_id order by w.name) as endpoints
    from agent_activations l join agents a on a.id = l.agent_id
    left join events e on e.id = l.event_id and e.agent_id = a.id
   order by seq`;

const COUNTS = `
  select (select count(*) from events where type like 'agent.%') as "eventCount",
         (select count(*) from delivery_queue q join webhook_endpoints w on w.id = q.endpoint_id
           where w.deleted_at is not null) as "leftInQueue"`;

type ActivationRow = { agent: string; line: string; body: Buffer | null; endpoints: string[] };

function lineOf(body: Buffer): string {
  const { type, data } = JSON.parse(body.toString()) as {
    type: string;
    data: Record<string, string | number | null>;
  };
  const from = type === 'agent.rolled_back' ? data['from_version'] : data['previous_version'];
  return `${type.slice('agent.'.length)} ${from}>${data['version']} ${data['actor']}`;
}
