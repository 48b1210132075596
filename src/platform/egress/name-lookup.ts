import dns from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { clearTimeout, monotonicMs, setTimeout } from '../../clock.ts';
import { codeOf } from '../../errors.ts';

/**
 * Resolves a host name from the hosts file first, and then from the name servers in /etc/resolv.conf.
 *
 * It does not use `dns.lookup`, which runs getaddrinfo on at most two threads of libuv's thread pool. Two names whose
 * servers do not respond would block every other lookup in the process for ten seconds or more
 * (test/platform/egress/dns.faults.test.ts). Neither a timeout nor a limit per endpoint helps, because a running lookup
 * cannot be canceled. c-ares, the library behind `dns.Resolver`, waits on sockets instead of threads, so any number of
 * lookups may hang without blocking others.
 *
 * This module adds what c-ares lacks: the hosts file, `localhost` and search domains. Other nsswitch sources are not
 * supported. Search domains apply only to names on the operator's allow list; otherwise a name chosen by a tenant could
 * resolve to an address inside the cluster.
 */

export type ResolvedAddress = { address: string; family: 4 | 6 };
/** Resolves a name. With `search`, also tries the search domains in resolv.conf, as programs in a pod usually do. */
export type Lookup = (
  hostname: string,
  options?: { search?: boolean },
) => Promise<ResolvedAddress[]>;

/**
 * Times in ms after the first query at which the query is repeated. A lost packet therefore costs a quarter of a
 * second, whereas with getaddrinfo it costs five seconds. c-ares does not repeat queries itself: before each repeat, it
 * would close the socket and lose the response of a slow server.
 */
const AGAIN_AT_MS = [250, 750, 1_750, 3_750];
/**
 * Maximum time for a lookup in ms. It is long enough to try several servers in turn. It is shorter than the ten seconds
 * of a delivery attempt, so that the attempt can still report the error class `dns`.
 */
const LOOKUP_MAX_MS = 8_000;
/**
 * Time in ms to wait for the addresses of one family after those of the other have arrived. Some servers respond for
 * one family and never for the other (RFC 8305, 3).
 */
const OTHER_FAMILY_MS = 50;
const FILE_MAX_AGE_MS = 1_000;

/**
 * Addresses of `localhost` and of names that end with `.localhost`. RFC 6761 says that such names must be resolved
 * locally, even if a name server knows a different address.
 */
const LOOPBACK: ResolvedAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

export type NameLookupOptions = {
  /** Name servers as `address:port`. The default is the system's name servers, which are read again for each lookup. */
  servers?: readonly string[];
  hostsFile?: string;
  /** Path of the file that contains the search domains and `ndots`. */
  resolvFile?: string;
  /** Monotonic clock. */
  nowMs?: () => number;
};

/**
 * Creates a lookup. It returns IPv4 and IPv6 addresses alternately, starting with IPv4, which is more often reachable.
 * It rejects with an error that has one of getaddrinfo's codes: ENOTFOUND, ENODATA or EAI_AGAIN.
 */
export function createNameLookup(options: NameLookupOptions = {}): Lookup {
  const { servers, nowMs = monotonicMs } = options;
  const { hostsFile = '/etc/hosts', resolvFile = '/etc/resolv.conf' } = options;
  const readHosts = createFileReader(hostsFile, parseHosts, nowMs);
  const readSearch = createFileReader(resolvFile, parseSearch, nowMs);
  return async (hostname, { search = false } = {}) => {
    const name = hostname.toLowerCase();
    if (name === 'localhost' || name.endsWith('.localhost')) return LOOPBACK;
    const known = (await readHosts()).get(name);
    if (known !== undefined) return known;
    if (!search) return askServers(name, servers);
    return askInTurn(candidates(name, await readSearch()), servers);
  };
}

/**
 * Resolves names in turn, and returns the result for the first name that exists. Tries the next name only if the
 * servers report that the previous one does not exist.
 */
async function askInTurn(
  names: readonly string[],
  servers: readonly string[] | undefined,
): Promise<ResolvedAddress[]> {
  let missing: unknown;
  for (const name of names) {
    try {
      return await askServers(name, servers);
    } catch (error) {
      if (codeOf(error) === 'EAI_AGAIN') throw error;
      missing = error;
    }
  }
  throw missing;
}

async function askServers(
  name: string,
  servers: readonly string[] | undefined,
): Promise<ResolvedAddress[]> {
  const over = new AbortController();
  const giveUp = (): void => over.abort();
  const [v4, v6] = [firstAnswer(over.signal), firstAnswer(over.signal)];
  const ask = (round: number): void => {
    const resolver = createResolver(servers, round);
    over.signal.addEventListener('abort', () => resolver.cancel());
    v4.from(resolver.resolve4(name));
    v6.from(resolver.resolve6(name));
  };
  const timers = AGAIN_AT_MS.map((ms, i) => setTimeout(() => ask(i + 1), ms));
  timers.push(setTimeout(giveUp, LOOKUP_MAX_MS));
  const found = (addresses: string[]): string[] => {
    timers.push(setTimeout(giveUp, OTHER_FAMILY_MS));
    return addresses;
  };
  try {
    ask(0);
    const answers = await Promise.allSettled([v4.answer.then(found), v6.answer.then(found)]);
    const addresses = byTurns(...answers);
    if (addresses.length === 0) throw lookupError(name, answers);
    return addresses;
  } finally {
    for (const timer of timers) clearTimeout(timer);
    over.abort();
  }
}

/**
 * Creates a resolver for one attempt. This costs 50 µs, which is little compared with opening a connection. In return,
 * each attempt uses the current list of servers and a different port. A lookup that hangs does not change the server
 * order or the timeouts of later lookups. Each `round` starts with a different server.
 */
function createResolver(servers: readonly string[] | undefined, round: number): dns.Resolver {
  const resolver = new dns.Resolver({ timeout: LOOKUP_MAX_MS, tries: 1 });
  const all = servers ?? resolver.getServers();
  const first = round % Math.max(1, all.length);
  if (servers !== undefined || first > 0) {
    resolver.setServers([...all.slice(first), ...all.slice(0, first)]);
  }
  return resolver;
}

type FirstAnswer = {
  /** Resolves with the first response. Rejects if a server reports an error first, or if `over` aborts first. */
  answer: Promise<string[]>;
  from: (asked: Promise<string[]>) => void;
};

/** Waits for the first response to a query that is sent several times. A timeout does not count as a response. */
function firstAnswer(over: AbortSignal): FirstAnswer {
  const { promise, resolve, reject } = Promise.withResolvers<string[]>();
  over.addEventListener('abort', () => reject(SILENCE));
  return {
    answer: promise,
    from: (asked) => {
      asked.then(resolve, (error: NodeJS.ErrnoException) => {
        if (error.code !== dns.TIMEOUT && error.code !== dns.CANCELLED) reject(error);
      });
    },
  };
}

const SILENCE = Object.assign(new Error('no name server responded'), { code: dns.TIMEOUT });

type Answer = PromiseSettledResult<string[]>;

function byTurns(v4: Answer, v6: Answer): ResolvedAddress[] {
  const of = (answer: Answer, family: 4 | 6): ResolvedAddress[] =>
    answer.status === 'fulfilled' ? answer.value.map((address) => ({ address, family })) : [];
  const [fours, sixes] = [of(v4, 4), of(v6, 6)];
  const longest = Math.max(fours.length, sixes.length);
  return Array.from({ length: longest }, (_, i) => [fours[i], sixes[i]])
    .flat()
    .filter((address) => address !== undefined);
}

/**
 * Returns the error for a failed lookup. The error is permanent only if the lookups of both address families report
 * that the name does not exist or has no address. Any other failure may be temporary.
 */
function lookupError(name: string, answers: Answer[]): Error {
  const codes = answers.map((answer) =>
    answer.status === 'rejected' && 'code' in answer.reason
      ? String(answer.reason.code)
      : 'ENODATA',
  );
  const isFinal = codes.every((code) => code === 'ENOTFOUND' || code === 'ENODATA');
  const code = isFinal ? (codes.includes('ENODATA') ? 'ENODATA' : 'ENOTFOUND') : 'EAI_AGAIN';
  return Object.assign(new Error(`lookup of ${name}: ${codes.join(', ')}`), { code });
}

type Hosts = Map<string, ResolvedAddress[]>;

/**
 * Creates a function that returns the parsed content of a file. It caches the content for a second, and keeps the last
 * content while the file cannot be read.
 */
function createFileReader<T>(
  file: string,
  parse: (text: string) => T,
  nowMs: () => number,
): () => Promise<T> {
  let content: Promise<T> = Promise.resolve(parse(''));
  let readAtMs = -Infinity;
  return () => {
    if (nowMs() - readAtMs > FILE_MAX_AGE_MS) {
      readAtMs = nowMs();
      const before = content;
      content = readFile(file, 'utf8').then(parse, () => before);
    }
    return content;
  };
}

function parseHosts(text: string): Hosts {
  const hosts: Hosts = new Map();
  for (const line of text.split('\n')) {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/);
    const family = isIP(address);
    if (family !== 4 && family !== 6) continue;
    for (const name of names.map((raw) => raw.toLowerCase())) {
      hosts.set(name, [...(hosts.get(name) ?? []), { address, family }]);
    }
  }
  return hosts;
}

/**
 * Search domains in /etc/resolv.conf, as described in resolv.conf(5). In a pod, names such as `rx.default.svc` resolve
 * only with them.
 */
type SearchDomains = {
  domains: readonly string[];
  /**
   * A name with at least this many dots is first tried as it is. A name with fewer dots is first tried with the search
   * domains.
   */
  ndots: number;
};

/** Parses the content of resolv.conf. If there are several `search` or `domain` lines, the last one applies. */
export function parseSearch(text: string): SearchDomains {
  let domains: string[] = [];
  let ndots = 1;
  for (const line of text.split('\n')) {
    const [keyword, ...values] = line.trim().split(/\s+/);
    if (keyword === 'search') domains = values;
    else if (keyword === 'domain') domains = values.slice(0, 1);
    else if (keyword === 'options') {
      const given = values.findLast((value) => /^ndots:\d+$/.test(value));
      if (given !== undefined) ndots = Number(given.slice('ndots:'.length));
    }
  }
  const normal = domains.map((domain) => domain.toLowerCase().replace(/\.$/, ''));
  return { domains: normal.filter((domain) => domain !== ''), ndots };
}

/** Returns the names to look up, in order. */
export function candidates(name: string, { domains, ndots }: SearchDomains): string[] {
  const searched = domains.map((domain) => `${name}.${domain}`);
  const dots = name.split('.').length - 1;
  return dots >= ndots ? [name, ...searched] : [...searched, name];
}
