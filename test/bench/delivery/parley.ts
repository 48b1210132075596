import pg from 'pg';
import { freePort } from '../../free-port.ts';
import { runMigrations } from '../../roles/parley-process.ts';
import { apiKey, startRoleProcess, type RoleProcess } from './role-process.ts';
import { LIVE_PATH, PATHS, type Request } from './wire.ts';
import { until } from '../../until.ts';

/** Parley as in a cluster: api, delivery and operator, each in a process of its own. */
export type Parley = {
  url: string;
  pool: pg.Pool;
  api: RoleProcess;
  operator: RoleProcess;
  /** All that run now; phases add and kill some. */
  deliveries: RoleProcess[];
  addDelivery: () => Promise<RoleProcess>;
  /** `kill`: SIGKILL. */
  removeDelivery: (one: RoleProcess, kill?: boolean) => Promise<void>;
  /** Endpoint ids by path: 0 … 99 and the live one. */
  endpoints: string[];
  /** Test events to these endpoints in turn. */
  testRequests: (paths: readonly number[]) => Request[];
  call: (method: string, route: string, body?: unknown) => Promise<{ status: number; body: Body }>;
  /** Deliveries that are not finished. */
  queued: () => Promise<number>;
  stop: () => Promise<void>;
};

type Body = Record<string, unknown> & { id: string };

export type ParleyOptions = {
  databaseUrl: string;
  receiver: { port: number; livePort: number };
  logs?: string | undefined;
  profiles?: string | undefined;
};

/** Nobody rolls anything back here: test events come whatever an endpoint takes. */
const NOTHING = ['agent.rolled_back'];

export const headers = {
  authorization: `Bearer ${apiKey}`,
  'content-type': 'application/json',
};

/** Makes an event's body as long as those that the peers were measured with. */
export const BODY_BYTES = 560;

export async function startParley(options: ParleyOptions): Promise<Parley> {
  await runMigrations(options.databaseUrl);
  const roleOptions = { ...options, port: await freePort() };
  const operator = await startRoleProcess('operator', roleOptions);
  const deliveries = [await startRoleProcess('delivery', roleOptions)];
  const api = await startRoleProcess('api', roleOptions);
  const url = `http://127.0.0.1:${roleOptions.port}`;
  const pool = new pg.Pool({ connectionString: options.databaseUrl, max: 2 });
  const endpoints: string[] = [];
  const parley: Parley = {
    url,
    pool,
    api,
    operator,
    deliveries,
    endpoints,
    addDelivery: async () => {
      const one = await startRoleProcess('delivery', roleOptions);
      deliveries.push(one);
      return one;
    },
    removeDelivery: async (one, kill = false) => {
      deliveries.splice(deliveries.indexOf(one), 1);
      await (kill ? one.kill() : one.stop());
    },
    testRequests: (paths) => paths.map((path) => testRequest(endpoints[path]!, path)),
    call: (method, route, body) => call(url, { method, route, body }),
    queued: async () => {
      const { rows } = await pool.query<{ n: string }>('select count(*) as n from delivery_queue');
      return Number(rows[0]?.n);
    },
    stop: async () => {
      await pool.end();
      await Promise.all([api, ...deliveries, operator].map((one) => one.stop()));
    },
  };
  for (let path = 0; path <= PATHS; path += 1) {
    const port = path === LIVE_PATH ? options.receiver.livePort : options.receiver.port;
    endpoints.push(await addEndpoint(parley, `http://127.0.0.1:${port}/${path}`, NOTHING));
  }
  await ready(parley);
  return parley;
}

export async function addEndpoint(
  parley: Parley,
  url: string,
  eventTypes: string[],
): Promise<string> {
  const { status, body } = await parley.call('POST', '/v1/webhooks', {
    url,
    event_types: eventTypes,
  });
  if (status > 202) throw new Error(`no endpoint: ${status} ${JSON.stringify(body)}`);
  return body.id;
}

/** Without what waits for them: deleting an endpoint cancels its deliveries. */
export async function replaceEndpoints(
  parley: Parley,
  port: number,
  paths: readonly number[],
): Promise<void> {
  for (const path of paths) {
    await parley.call('DELETE', `/v1/webhooks/${parley.endpoints[path]}`);
    const url = `http://127.0.0.1:${port}/${path}`;
    parley.endpoints[path] = await addEndpoint(parley, url, NOTHING);
  }
  await ready(parley);
}

const READY_MS = 600_000;

/** The operator has shown every endpoint to the API. */
export async function ready(parley: Parley): Promise<void> {
  const isSo = async (): Promise<boolean> => {
    const { rows } = await parley.pool.query<{ n: string }>(
      'select count(*) as n from webhook_endpoints where ready and deleted_at is null',
    );
    return Number(rows[0]?.n) >= parley.endpoints.length;
  };
  await until('all endpoints to be ready', isSo, { timeoutMs: READY_MS, everyMs: 50 });
}

function testRequest(endpoint: string, target: number): Request {
  const data = {
    conversation_id: 'conv_06dmv3w2k1q8b7n5r4x9c0t3ze',
    agent_id: 'agt_06dmv3v9ssn80yhpw1gqcsk0j4',
    agent_version: 3,
    transcript_url:
      'https://parley.example.com/v1/conversations/conv_06dmv3w2k1q8b7n5r4x9c0t3ze/transcript',
    summary: 'The customer asked when an order would arrive and was told the date.',
    turns: 9,
    outcome: 'resolved',
    csat_predicted: 4.4,
  };
  const envelope = {
    id: 'evt_06dmv3w2k1q8b7n5r4x9c0t3ze',
    type: 'conversation.transcript.ready',
    created: 1_700_000_000,
    data,
  };
  data.summary = data.summary.padEnd(
    data.summary.length + BODY_BYTES - JSON.stringify(envelope).length,
    ' It arrived in time.',
  );
  return {
    path: `/v1/webhooks/${endpoint}/test`,
    headers,
    body: JSON.stringify({ type: envelope.type, data }),
    target,
  };
}

async function call(
  url: string,
  { method, route, body }: { method: string; route: string; body: unknown },
): Promise<{ status: number; body: Body }> {
  const response = await fetch(url + route, {
    method,
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  // What we asked for ourselves; an empty answer has nothing that anybody reads.
  return { status: response.status, body: (text === '' ? {} : JSON.parse(text)) as Body };
}
