import { PUBLIC_V4, PUBLIC_V6, spellings } from './ssrf-addresses.ts';
import { addressesOf, DOMAIN, REDIRECTS } from './ssrf-cases.ts';
import { IS_NIGHTLY } from '../../../nightly.ts';
import type { SsrfDns } from './ssrf-dns.ts';
import type { SsrfListeners } from './ssrf-listeners.ts';
import { inParallel } from './in-parallel.ts';
import { startRoles, type Parley } from '../../../roles/parley-process.ts';
import { until } from '../../../until.ts';

/** What the product's processes did with endpoints that lead to forbidden addresses. */
export type PipelineResult = {
  endpoints: number;
  /** Attempts by their origin, such as `schedule 2`: the second attempt of an event's own delivery. */
  attempts: Record<string, number>;
  failures: string[];
  caught: readonly string[];
  received: number;
};

type Endpoint = { id: string; what: string; expected: readonly (string | null)[] };
type Wanted = Omit<Endpoint, 'id'> & { url: string; otherwise?: Wanted };
type Attempt = { number: number; trigger: string; error_class: string | null };

/** The first retry is due five seconds after the event; a breaker may delay later ones. */
const PATIENCE = { timeoutMs: 120_000, everyMs: 1_000 };
const PROXY = 'http://169.254.169.254:8080';

/**
 * Runs a real api, operator and delivery process on a database in the namespace. The api has all addresses open, so
 * that it also accepts literal ones: only the delivery process protects.
 */
export async function runPipeline(
  servers: { listeners: SsrfListeners; dns: SsrfDns },
  turn: number,
  databaseUrl: string,
): Promise<PipelineResult> {
  const before = {
    caught: servers.listeners.caught().length,
    received: servers.listeners.received(),
  };
  const open = { PARLEY_EGRESS_ALLOW: '0.0.0.0/0,::/0' };
  const proxies = { HTTP_PROXY: PROXY, HTTPS_PROXY: PROXY, http_proxy: PROXY };
  const parley = await startRoles({
    databaseUrl,
    // Without limits, no request is refused before it reaches the guard.
    env: {
      PARLEY_RATE_LIMIT: '0',
      PARLEY_LIMIT_REPLAY_REQUESTS: '0',
      PARLEY_LIMIT_REPLAY_JOBS: '0',
    },
    envOf: {
      api: open,
      operator: open,
      // A proxy named by the environment would bypass every check of an address.
      delivery: { ...proxies, PARLEY_EGRESS_ALLOW: '', NODE_USE_ENV_PROXY: '1' },
    },
  });
  const endAll = (): void => parley.pids.forEach((pid) => process.kill(pid, 'SIGKILL'));
  process.once('exit', endAll);
  try {
    const endpoints = await declareAll(parley, wanted(servers.dns, turn));
    // A connection to the canary already decides the result.
    const isCaught = (): boolean => servers.listeners.caught().length > before.caught;
    const attempts = await provoke(parley, endpoints, isCaught);
    await servers.listeners.settled();
    return {
      endpoints: endpoints.length,
      ...judge(endpoints, attempts),
      caught: servers.listeners.caught().slice(before.caught),
      received: servers.listeners.received() - before.received,
    };
  } finally {
    await parley.stop();
    process.off('exit', endAll);
  }
}

/**
 * Returns every address as a name or as a literal in turn, every third behind a redirect, every fourth among public
 * ones and alternating with them. The long run has all combinations.
 */
function wanted(dns: SsrfDns, turn: number): Wanted[] {
  const named = (name: string, lookups: string[][], repeats = false): string => {
    dns.put(`${name}.${DOMAIN}`, { lookups, repeats });
    return `https://${name}.${DOMAIN}/`;
  };
  const all = addressesOf(turn).flatMap(({ address }, i): Wanted[] => {
    const hosts = Object.values(spellings(address));
    const publicOne = address.includes(':') ? PUBLIC_V6 : PUBLIC_V4;
    const status = REDIRECTS[i % REDIRECTS.length];
    const to = encodeURIComponent(`http://${hosts[0]}/`);
    const isTurn = (every: number): boolean => IS_NIGHTLY || (i + turn) % every === 0;
    const asName = {
      what: `${address} as a name`,
      expected: ['blocked'],
      url: named(`p${i}`, [[address]]),
    };
    const asLiteral = {
      what: `${address} literally`,
      expected: ['blocked'],
      url: `http://${hosts[(i + turn) % hosts.length]}/`,
      // The api refuses addresses that no list opens.
      otherwise: asName,
    };
    const byRedirect = {
      what: `${address} by redirect`,
      expected: ['redirect'],
      url: `http://${PUBLIC_V4}/redirect/${status}?to=${to}`,
    };
    // The public address does not speak TLS, so the class shows that it was reached.
    const mixed = {
      what: `${address} among public ones`,
      expected: ['tls'],
      url: named(`m${i}`, [[address, publicOne]]),
    };
    const byTurns = {
      what: `${address} by turns`,
      expected: ['tls', 'blocked'],
      url: named(`r${i}`, [[publicOne], [address]], true),
    };
    return [
      ...(isTurn(2) ? [asLiteral] : [asName]),
      ...(IS_NIGHTLY ? [asName] : []),
      ...(isTurn(3) ? [byRedirect] : []),
      ...(isTurn(4) ? [mixed, byTurns] : []),
    ];
  });
  return [...all, { what: 'the public one', expected: [null], url: `http://${PUBLIC_V4}/` }];
}

async function declareAll({ call }: Parley, all: Wanted[]): Promise<Endpoint[]> {
  const endpoints: Endpoint[] = [];
  const declare = async ({ url, otherwise, ...rest }: Wanted): Promise<void> => {
    const { status, body } = await call('POST', '/v1/webhooks', { url });
    if (status === 201) endpoints.push({ ...rest, id: body.id });
    else if (status === 202) {
      // Stored, but not yet reconciled by a busy operator.
      const isTakenUp = async (): Promise<boolean> =>
        (await call('GET', `/v1/webhooks/${body.id}`)).status === 200;
      await until(`${rest.what} to be taken up`, isTakenUp, PATIENCE);
      endpoints.push({ ...rest, id: body.id });
    } else if (status === 422 && otherwise !== undefined) await declare(otherwise);
    else throw new Error(`${rest.what}: the api answered ${status} to ${url}`);
  };
  await inParallel(all, declare);
  return endpoints;
}

/** Emits an event, a test event, a replay of the event and a replay job, and waits for the results. */
async function provoke(
  { call }: Parley,
  endpoints: Endpoint[],
  isCaught: () => boolean,
): Promise<Map<string, Attempt[]>> {
  const since = Math.floor(Date.now() / 1_000) - 60;
  const must = async (path: string, body: object): Promise<void> => {
    const { status } = await call('POST', path, body);
    if (status >= 300) throw new Error(`POST ${path} was answered with ${status}`);
  };
  await must('/v1/agents', { name: 'canary', display_name: 'Canary', prompt: 'Sing.' });
  const event = await until(
    'the event of the agent',
    async () => {
      const { body } = await call('GET', '/v1/events?type=agent.published');
      return body.data[0]?.id as string | undefined;
    },
    PATIENCE,
  );
  await inParallel(endpoints, ({ id }) => must(`/v1/webhooks/${id}/test`, {}));
  await must(`/v1/events/${event}/replay`, {});
  await inParallel(endpoints, ({ id }) =>
    must(`/v1/webhooks/${id}/replay`, { since, mode: 'all' }),
  );
  const attempts = new Map<string, Attempt[]>();
  await inParallel(endpoints, async ({ id, what, expected }) => {
    const wantedTriggers = expected[0] === null ? WAYS_ONCE : [...WAYS_ONCE, RETRY];
    let seen: Attempt[] = [];
    const isTried = async (): Promise<boolean> => {
      const { body } = await call('GET', `/v1/webhooks/${id}/deliveries`);
      seen = body.data.flatMap((delivery: { attempts: Attempt[] }) => delivery.attempts);
      const ways = new Set(seen.map(wayOf));
      return wantedTriggers.every((way) => ways.has(way)) || isCaught();
    };
    await until(() => `${what}: only ${seen.map(wayOf).join(', ')}`, isTried, PATIENCE);
    attempts.set(id, seen);
  });
  return attempts;
}

const wayOf = ({ trigger, number }: Attempt): string => `${trigger} ${number}`;
const WAYS_ONCE = ['schedule 1', 'test 1', 'replay 1'];
const RETRY = 'schedule 2';

function judge(endpoints: Endpoint[], attempts: Map<string, Attempt[]>) {
  const failures: string[] = [];
  const counts: Record<string, number> = {};
  for (const { id, what, expected } of endpoints) {
    for (const attempt of attempts.get(id) ?? []) {
      counts[wayOf(attempt)] = (counts[wayOf(attempt)] ?? 0) + 1;
      if (expected.includes(attempt.error_class)) continue;
      failures.push(`${what}, ${wayOf(attempt)}: ${attempt.error_class}`);
    }
  }
  return { attempts: counts, failures };
}
