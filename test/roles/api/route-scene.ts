import type { Fetchers } from '../../../src/knowledge/syncs/run-sync.ts';
import type { Reply } from './api-setup.ts';

/** Creates resources in the namespace of the key, through the API. `call` resolves to the response. */
export type RouteFixture = {
  call: (method: string, path: string, json?: unknown) => Promise<Reply>;
  eventually: <T>(check: () => Promise<T | undefined | false>) => Promise<T>;
};

export const AGENT = { prompt: 'You sell bicycles.' };
export const SOURCE = { type: 'text', text: 'We open at nine.' };
export const CALLBACK = { body: 'AccountSid=AC1', type: 'application/x-www-form-urlencoded' };
export const ENDPOINT = { url: 'https://example.com/hook' };

export async function made(fixture: RouteFixture, path: string, json: unknown): Promise<string> {
  const { status, headers, text } = await fixture.call('POST', path, json);
  const location = headers.get('location');
  if (location === null) throw new Error(`POST ${path} made nothing: ${status} ${text}`);
  return location;
}

export const idIn = (location: string): string => location.split('/').at(-1)!;

export const agent = (fixture: RouteFixture) => made(fixture, '/v1/agents', AGENT);
export const agentId = async (fixture: RouteFixture) => idIn(await agent(fixture));

/** Creates an agent with a second version, which is live. */
export async function changedAgent(fixture: RouteFixture): Promise<string> {
  const path = await agent(fixture);
  await fixture.call('PATCH', path, { prompt: 'You repair bicycles.' });
  return path;
}

/** Creates an agent with a rollout in progress. */
export async function rollingAgent(fixture: RouteFixture): Promise<string> {
  const rollout = {
    steps: [{ weight: 5, min_conversations: 50 }],
    checks: [{ metric: 'gap_rate', worse_by: 0.1 }],
  };
  const path = await agent(fixture);
  await fixture.call('PATCH', path, { publish_policy: 'progressive', rollout });
  await fixture.call('PATCH', path, { prompt: 'You repair bicycles.' });
  return path;
}

/** Creates an agent whose first version was recalled. Returns the path of the recall. */
export async function recall(fixture: RouteFixture): Promise<string> {
  return made(fixture, `${await changedAgent(fixture)}/recalls`, { versions: [1] });
}

export const endpoint = (fixture: RouteFixture) => made(fixture, '/v1/webhooks', ENDPOINT);

export async function sent(
  fixture: RouteFixture,
): Promise<{ event_id: string; delivery_id: string }> {
  const { body } = await fixture.call('POST', `${await endpoint(fixture)}/test`);
  return body as { event_id: string; delivery_id: string };
}

export const event = async (fixture: RouteFixture) =>
  `/v1/events/${(await sent(fixture)).event_id}`;

/** Creates a replay job. It runs until every delivery has been attempted, which never happens here. */
export async function job(fixture: RouteFixture): Promise<string> {
  const path = await endpoint(fixture);
  await fixture.call('POST', `${path}/test`);
  return made(fixture, `${path}/replay`, { since: minuteAgo(), mode: 'all' });
}

export async function conversation(fixture: RouteFixture): Promise<string> {
  return made(fixture, '/v1/conversations', { agent_id: await agentId(fixture) });
}

/** Creates a customer with one conversation. */
export async function customer(fixture: RouteFixture): Promise<string> {
  const userId = `maria ${(customers += 1)}/x`;
  await made(fixture, '/v1/conversations', {
    agent_id: await agentId(fixture),
    user_id: userId,
  });
  return `/v1/customers/${encodeURIComponent(userId)}`;
}
let customers = 0;

export async function erasure(fixture: RouteFixture): Promise<string> {
  const { body } = await fixture.call('DELETE', await customer(fixture));
  return `/v1/customer_erasures/${(body as { id: string }).id}`;
}

export async function endedConversation(fixture: RouteFixture): Promise<string> {
  const path = await conversation(fixture);
  await fixture.call('POST', `${path}/end`);
  return path;
}

export const escalation = async (fixture: RouteFixture) =>
  made(fixture, `${await conversation(fixture)}/escalate`, {});

export async function acceptedEscalation(fixture: RouteFixture): Promise<string> {
  const path = await escalation(fixture);
  await fixture.call('POST', `${path}/accept`, ACCEPT);
  return path;
}

export async function call(fixture: RouteFixture): Promise<string> {
  return made(fixture, '/v1/calls', { agent_id: await agentId(fixture), to: '+442071838750' });
}

export const PROVIDER = { base_url: 'http://127.0.0.1:1/v1' };
export const modelProvider = (fixture: RouteFixture) =>
  made(fixture, '/v1/model_providers', PROVIDER);

export const CARRIER = {
  type: 'twilio',
  account_id: 'AC1',
  auth_token_secret_ref: { name: 'carrier', key: 'token' },
};
export const telephonyProvider = (fixture: RouteFixture) =>
  made(fixture, '/v1/telephony_providers', CARRIER);

export const source = (fixture: RouteFixture) => made(fixture, '/v1/knowledge/sources', SOURCE);
export const fileSource = (fixture: RouteFixture) =>
  made(fixture, '/v1/knowledge/sources', { type: 'file' });

/** Fetches a website until it is stopped, so that a sync is always in progress. */
export const UNENDING: Fetchers = {
  website: async function* ({ signal }) {
    yield { kind: 'found', count: 1 };
    await new Promise((_, reject) =>
      signal.addEventListener('abort', () => reject(signal.reason), { once: true }),
    );
    return { unseen: 'keep', cursor: null };
  },
};

export async function sync(fixture: RouteFixture): Promise<string> {
  const website = { type: 'website', website: { url: 'https://example.com/' } };
  const path = await made(fixture, '/v1/knowledge/sources', website);
  const id = await fixture.eventually(async () => {
    const { body } = await fixture.call('GET', path);
    return (body.sync as { id: string } | null)?.id;
  });
  return `${path}/syncs/${id}`;
}

/** Asks an agent without knowledge a question, and returns the gap. */
export async function gap(fixture: RouteFixture): Promise<string> {
  const text = 'How much does a tandem weigh?';
  await fixture.call('POST', `${await conversation(fixture)}/messages`, { text });
  const id = await fixture.eventually(async () => {
    const { body } = await fixture.call('GET', '/v1/knowledge/gaps?status=open');
    return (body.data as { id: string }[])[0]?.id;
  });
  return `/v1/knowledge/gaps/${id}`;
}

export async function passage(fixture: RouteFixture): Promise<string> {
  await resolvedGap(fixture);
  const id = await fixture.eventually(async () => {
    const { body } = await fixture.call('GET', '/v1/knowledge/search?q=tandem');
    return (body.data as { chunk_id: string }[])[0]?.chunk_id;
  });
  return `/v1/knowledge/chunks/${id}`;
}

export async function resolvedGap(fixture: RouteFixture): Promise<string> {
  const path = await gap(fixture);
  await fixture.call('POST', `${path}/resolve`, { answer: '20 kg' });
  return path;
}

export const apiKey = (fixture: RouteFixture) => made(fixture, '/v1/api_keys', KEY);

/** Creates a key to sign in with. */
export async function credential(
  fixture: RouteFixture,
): Promise<{ api_key: string; name: string }> {
  const { body } = await fixture.call('POST', '/v1/api_keys', { ...KEY, scopes: ['read'] });
  return { api_key: body.key, name: 'Ada' };
}

export async function session(fixture: RouteFixture): Promise<string> {
  return made(fixture, '/v1/sessions', await credential(fixture));
}

export const ACCEPT = { accepted_by: { id: 'u1', name: 'Ada' } };
/** API key to create. It has only the scope `keys`, because a new key cannot have more scopes than its creator. */
export const KEY = { name: 'made for the matrix', scopes: ['keys'] };
export const hourAgo = (): number => Math.floor(Date.now() / 3_600_000 - 1) * 3_600;
export const minuteAgo = (): number => Math.floor(Date.now() / 1_000) - 60;

export const at = (path: string) => () => path;
export const below =
  (thing: (fixture: RouteFixture) => Promise<string>, rest = '') =>
  async (fixture: RouteFixture) =>
    (await thing(fixture)) + rest;

export async function note(fixture: RouteFixture): Promise<string> {
  const path = await escalation(fixture);
  const { body } = await fixture.call('POST', `${path}/notes`, { text: 'Call back at six.' });
  return `${path}/notes/${String(body.id)}`;
}

export const CANNED = { title: 'Refund', text: 'Your refund is on its way.' };
export const cannedReply = (fixture: RouteFixture) => made(fixture, '/v1/canned_replies', CANNED);
