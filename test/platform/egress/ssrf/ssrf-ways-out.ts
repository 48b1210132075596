import { setTimeout } from 'node:timers/promises';
import { PUBLIC_V4, PUBLIC_V6, spellings } from './ssrf-addresses.ts';
import { addressesOf, DOMAIN, REDIRECTS } from './ssrf-cases.ts';
import { IS_NIGHTLY } from '../../../nightly.ts';
import type { SsrfDns } from './ssrf-dns.ts';
import type { SsrfListeners } from './ssrf-listeners.ts';
import { inParallel } from './in-parallel.ts';
import { startRole, type Parley } from '../../../roles/parley-process.ts';
import { until } from '../../../until.ts';

/** What api and operator did with providers of models and tools that lead to forbidden addresses. */
export type WaysOutResult = {
  providers: number;
  tools: number;
  /** Number of replies and tool results that were as expected, by their way in. */
  asExpected: Record<'message' | 'completion' | 'tool' | 'probe', number>;
  failures: string[];
  caught: readonly string[];
  received: number;
};

/** `expected` matches the error of the turn or of the tool; undefined if the address is reached. */
type Way = { what: string; url: string; expected: RegExp | undefined; otherwise?: Way };
type Provider = Way & { name: string; id: string; agent: string };

const REFUSED = /equests to this address are not allowed|has no public address/;
const REDIRECTED = /redirect/;
/** The public address does not speak TLS, so these errors show that it was reached. */
const REACHED = /TLS|certificate|connection|secure/i;
/** A namespace has 32 concurrent calls. */
const TOOLS_PER_AGENT = 16;
/** Error for a forbidden literal address. */
const DECLINED = 'is not public|must use https';
const PATIENCE = { timeoutMs: 60_000, everyMs: 200 };
const PROXY = 'http://169.254.169.254:8080';
const MODEL = `http://${PUBLIC_V4}/v1`;

/**
 * Declares the providers and tools with all addresses open, so that literal addresses are accepted too. Then restarts
 * api and operator with their usual settings, and sends messages.
 */
export async function runWaysOut(
  servers: { listeners: SsrfListeners; dns: SsrfDns },
  turn: number,
  databaseUrl: string,
): Promise<WaysOutResult> {
  const env = { PARLEY_RATE_LIMIT: '0' };
  const running: Parley[] = [];
  const endAll = (): void =>
    running.flatMap(({ pids }) => pids).forEach((pid) => process.kill(pid, 'SIGKILL'));
  try {
    process.once('exit', endAll);
    const opened = { ...env, PARLEY_EGRESS_ALLOW: '0.0.0.0/0,::/0' };
    const open = await startBoth(databaseUrl, opened, running);
    const { list, zones } = ways(turn);
    const providers = await declareProviders(open, list);
    const agents = await declareTools(open, list);
    await Promise.all(running.splice(0).map((one) => one.stop()));
    for (const [name, zone] of zones) servers.dns.put(name, zone);
    const before = {
      caught: servers.listeners.caught().length,
      received: servers.listeners.received(),
    };
    const closed = {
      ...env,
      PARLEY_EGRESS_ALLOW: '',
      HTTP_PROXY: PROXY,
      HTTPS_PROXY: PROXY,
      http_proxy: PROXY,
      NODE_USE_ENV_PROXY: '1',
    };
    const api = await startBoth(databaseUrl, closed, running);
    const failures: string[] = [];
    const asExpected = { message: 0, completion: 0, tool: 0, probe: 0 };
    const judge: Judge = (kind, { what, expected }, said) => {
      const isRight = expected ? said !== undefined && expected.test(said) : said === undefined;
      if (isRight) asExpected[kind] += 1;
      else failures.push(`${what}, ${kind}: ${said ?? 'it went well'}`);
    };
    for (const agent of agents) await callTools(api, agent, judge);
    // Alternates between the two ways in. The long run uses both for all.
    await inParallel([...providers.entries()], async ([at, provider]) => {
      const isTurn = (at + turn) % 2 === 0;
      if (isTurn || IS_NIGHTLY) await sendMessage(api, provider, judge);
      if (!isTurn || IS_NIGHTLY) await complete(api, provider, judge);
    });
    await seeProbes(api, providers, judge);
    await servers.listeners.settled();
    return {
      providers: providers.length,
      tools: agents.reduce((sum, { tools }) => sum + tools.length, 0),
      asExpected,
      failures,
      caught: servers.listeners.caught().slice(before.caught),
      received: servers.listeners.received() - before.received,
    };
  } finally {
    await Promise.all(running.map((one) => one.stop()));
    process.off('exit', endAll);
  }
}

type Judge = (kind: keyof WaysOutResult['asExpected'], way: Way, said: string | undefined) => void;

/** Starts operator and api, and adds them to `running`. Resolves to the api. */
async function startBoth(
  databaseUrl: string,
  env: Record<string, string>,
  running: Parley[],
): Promise<Parley> {
  const note = (one: Parley): Parley => {
    running.push(one);
    return one;
  };
  const operator = startRole('operator', { databaseUrl, env }).then(note);
  const api = startApi(databaseUrl, env).then(note);
  // Both are recorded before the failure of either is thrown.
  await Promise.allSettled([operator, api]);
  await operator;
  return api;
}

async function startApi(databaseUrl: string, env: Record<string, string>): Promise<Parley> {
  const port = '8191';
  const role = await startRole('api', { databaseUrl, env: { ...env, PARLEY_PORT: port } });
  const url = `http://127.0.0.1:${port}`;
  return { ...role, url, call: callerOf(url, role.apiKey) };
}

/** Returns the same forms as the pipeline: names and literals in turn, every third behind a redirect. */
function ways(turn: number) {
  const zones = new Map<string, Parameters<SsrfDns['put']>[1]>();
  const named = (name: string, lookups: string[][], repeats = false): string => {
    zones.set(`${name}.${DOMAIN}`, { lookups, repeats });
    return `https://${name}.${DOMAIN}`;
  };
  const list = addressesOf(turn).flatMap(({ address }, i): Way[] => {
    const hosts = Object.values(spellings(address)).filter((host) => !/[\s\p{Cf}]/u.test(host));
    const publicOne = address.includes(':') ? PUBLIC_V6 : PUBLIC_V4;
    const isTurn = (every: number): boolean => IS_NIGHTLY || (i + turn) % every === 0;
    const to = Buffer.from(`http://${hosts[0]}/`).toString('base64url');
    const status = REDIRECTS[i % REDIRECTS.length];
    const asName: Way = {
      what: `${address} as a name`,
      expected: REFUSED,
      url: named(`w${i}`, [[address]]),
    };
    const asLiteral: Way = {
      what: `${address} literally`,
      expected: REFUSED,
      url: `http://${hosts[(i + turn) % hosts.length]}`,
      otherwise: asName,
    };
    const byRedirect: Way = {
      what: `${address} by redirect`,
      expected: REDIRECTED,
      url: `http://${PUBLIC_V4}/redirect/${status}/${to}`,
    };
    const byTurns: Way = {
      what: `${address} by turns`,
      expected: new RegExp(`${REFUSED.source}|${REACHED.source}`, 'i'),
      url: named(`x${i}`, [[publicOne], [address]], true),
    };
    return [
      isTurn(2) ? asLiteral : asName,
      ...(isTurn(3) ? [byRedirect] : []),
      ...(isTurn(4) ? [byTurns] : []),
    ];
  });
  return { list, zones };
}

/** Declares a provider for each address, and an agent that uses it. */
async function declareProviders(parley: Parley, list: readonly Way[]): Promise<Provider[]> {
  const providers: Provider[] = [];
  const declare = async (way: Way, name: string): Promise<void> => {
    const { status, body } = await parley.call('POST', '/v1/model_providers', {
      name,
      base_url: `${way.url}/v1`,
      chat: { default_model: 'm' },
    });
    if (status === 422 && way.otherwise) return declare(way.otherwise, name);
    must({ status, body }, `the provider of ${way.what}`);
    const made = await parley.call('POST', '/v1/agents', {
      name: `of-${name}`,
      prompt: 'Sing.',
      model: { provider: name },
    });
    must(made, `the agent of ${way.what}`);
    providers.push({ ...way, name, id: body.id, agent: made.body.id });
  };
  const all = [
    ...list,
    { what: 'the public one', url: `http://${PUBLIC_V4}`, expected: undefined },
  ];
  await inParallel([...all.entries()], ([at, way]) => declare(way, `p${at}`));
  for (const { agent } of providers) await isLive(parley, agent);
  return providers;
}

type ToolAgent = { id: string; tools: Way[] };

/** Declares agents with tools. Their model is at the public address and calls every tool. */
async function declareTools(parley: Parley, list: readonly Way[]): Promise<ToolAgent[]> {
  const provider = { name: 'sings', base_url: MODEL, chat: { default_model: 'm' } };
  must(await parley.call('POST', '/v1/model_providers', provider), 'the model of the tools');
  const all = [
    ...list,
    { what: 'the public one', url: `http://${PUBLIC_V4}`, expected: undefined },
  ];
  const groups = Array.from({ length: Math.ceil(all.length / TOOLS_PER_AGENT) }, (_, at) =>
    all.slice(at * TOOLS_PER_AGENT, (at + 1) * TOOLS_PER_AGENT),
  );
  const agents: ToolAgent[] = [];
  await inParallel([...groups.entries()], async ([at, group]) => {
    const agent = await declareAgent(parley, `tools-${at}`, group);
    agents.push(agent);
  });
  for (const { id } of agents) await isLive(parley, id);
  return agents;
}

/** Declares an agent. Tools that the api refuses, because no list opens their address, take the other form. */
async function declareAgent(parley: Parley, name: string, group: Way[]): Promise<ToolAgent> {
  const tools = [...group];
  for (;;) {
    const { status, body } = await parley.call('POST', '/v1/agents', {
      name,
      prompt: 'Sing.',
      model: { provider: 'sings' },
      tools: tools.map(({ url }, at) => ({ type: 'webhook', name: `t${at}`, url: `${url}/tool` })),
    });
    if (status === 201) return { id: body.id, tools };
    const at = Number(/\/tools\/(\d+)/.exec(JSON.stringify(body))?.[1]);
    const other = tools[at]?.otherwise;
    if (status !== 422 || other === undefined) must({ status, body }, name);
    else tools[at] = other;
  }
}

async function isLive({ call }: Parley, agent: string): Promise<void> {
  const isPublished = async (): Promise<boolean> =>
    (await call('GET', `/v1/agents/${agent}`)).body.active_version === 1;
  await until(() => `${agent} is live`, isPublished, PATIENCE);
}

async function sendMessage({ call }: Parley, provider: Provider, judge: Judge): Promise<void> {
  const started = await call('POST', '/v1/conversations', { agent_id: provider.agent });
  must(started, `the conversation of ${provider.what}`);
  const path = `/v1/conversations/${started.body.id}/messages`;
  const said = await call('POST', path, { text: 'Sing.' });
  must(said, `the message of ${provider.what}`);
  judge('message', provider, said.body.turns.at(-1).error?.detail);
}

/** Sends a request of OpenAI's protocol. */
async function complete({ call }: Parley, provider: Provider, judge: Judge): Promise<void> {
  const completion = await call('POST', '/v1/chat/completions', {
    model: provider.agent,
    messages: [{ role: 'user', content: 'Sing.' }],
  });
  judge('completion', provider, completion.body.error?.message);
}

async function callTools({ call }: Parley, { id, tools }: ToolAgent, judge: Judge): Promise<void> {
  const started = await call('POST', '/v1/conversations', { agent_id: id });
  must(started, 'the conversation of tools');
  const path = `/v1/conversations/${started.body.id}/messages`;
  const said = await call('POST', path, { text: 'Sing.' });
  must(said, 'the message of tools');
  const results = new Map<string, string | undefined>();
  for (const { tool_call, tool_result } of said.body.turns) {
    if (tool_call === undefined) continue;
    results.set(tool_call.name, tool_result?.ok ? undefined : String(tool_result?.content));
  }
  for (const [at, tool] of tools.entries()) {
    judge('tool', tool, results.has(`t${at}`) ? results.get(`t${at}`) : 'was not called');
  }
}

/** Checks the status by the operator that started last. It does not even probe literal addresses. */
async function seeProbes({ call }: Parley, providers: Provider[], judge: Judge): Promise<void> {
  const deadlineMs = Date.now() + PATIENCE.timeoutMs;
  await inParallel(providers, async (provider) => {
    // The public address is also accepted with this error, because its URL uses http.
    const ways = provider.expected ? [DECLINED, provider.expected.source] : [DECLINED];
    const expected = new RegExp(ways.join('|'), 'i');
    for (;;) {
      const { body } = await call('GET', `/v1/model_providers/${provider.id}`);
      const said = body.ready ? undefined : String(body.status_message);
      if (expected.test(said ?? '') || Date.now() > deadlineMs) {
        judge('probe', { ...provider, expected }, said);
        return;
      }
      await setTimeout(PATIENCE.everyMs);
    }
  });
}

function must({ status, body }: { status: number; body: unknown }, what: string): void {
  if (status >= 300) throw new Error(`${what}: ${status} ${JSON.stringify(body).slice(0, 400)}`);
}

function callerOf(url: string, apiKey: string): Parley['call'] {
  return async (method, route, body) => {
    const response = await fetch(`${url}${route}`, {
      method,
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: JSON.parse(text || 'null') };
  };
}
