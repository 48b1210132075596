import dns from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { clearTimeout, monotonicMs, setTimeout } from '../../clock.ts';
import { codeOf } from '../../errors.ts';

/**
 * Resolves a host name from the hosts file, then from the name servers of /etc/resolv.conf.
 *
 * It does not use `dns.lookup`, which calls getaddrinfo on libuv's thread pool with two threads. There, two names with
 * silent servers would stop every other lookup of the process for ten seconds and more
 * (test/platform/egress/dns.faults.test.ts). Neither a timeout nor a limit per endpoint helps, because a running lookup
 * cannot be canceled. c-ares waits on sockets instead of threads, so any number of names may hang.
 *
 * This module adds what c-ares lacks: the hosts file, `localhost` and search domains. Other sources of nsswitch are not
 * supported. Search domains apply only to names that the operator's list allows; otherwise a tenant's name could
 * resolve to an address inside the cluster.
 */

export type ResolvedAddress = { address: string; family: 4 | 6 };
/** Resolves a name. With `search`, it also tries the search domains of resolv.conf, as every program in a pod does. */
export type Lookup = (
  hostname: string,
  options?: { search?: boolean },
) => Promise<ResolvedAddress[]>;

/**
 * Times in ms at which the query is repeated. With these repeats, a lost packet costs a quarter of a second; with
 * getaddrinfo it costs five seconds. c-ares does not repeat the query itself, because it would close the socket and so
 * lose the response of a server that takes a second.
 */
const AGAIN_AT_MS = [250, 750, 1_750, 3_750];
/**
 * Maximum time for a lookup. It is enough for several servers in turn, and less than the ten seconds of a delivery
 * attempt, so that the attempt can still report `dns`.
 */
const LOOKUP_MAX_MS = 8_000;
/**
 * Time in ms to wait for one address family after the other has arrived. Some servers respond for one family and are
 * silent for the other (RFC 8305, 3).
 */
const OTHER_FAMILY_MS = 50;
const FILE_MAX_AGE_MS = 1_000;

/**
 * Addresses of loopback names. By RFC 6761 such names are resolved only on this machine, even if a name server knows
 * another address.
 */
const LOOPBACK: ResolvedAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

export type NameLookupOptions = {
  /** Name servers as `address:port`. By default the system's name servers, which are read again for each lookup. */
  servers?: readonly string[];
  hostsFile?: string;
  /** Path of the file that has the search domains and `ndots`. */
  resolvFile?: string;
  /** Monotonic clock. */
  nowMs?: () => number;
};

/**
 * Creates a lookup. It returns addresses of both families alternately, IPv4 first, because IPv4 more often has a route.
 * It rejects with an error whose `code` is one of getaddrinfo's: ENOTFOUND, ENODATA, EAI_AGAIN.
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
 * servers report that a name does not exist.
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
 * Creates a resolver for one attempt. This costs 50 µs, little compared with a connection. In return, the list of
 * servers is current, each query uses another port, and a hanging name affects neither the order of the servers nor
 * later timeouts. Each `round` starts with another server.
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
  /** Resolves with the first response. Rejects with the servers' error, or when `over` aborts first. */
  answer: Promise<string[]>;
  from: (asked: Promise<string[]>) => void;
};

/** Collects the first response to a query that is sent several times. A timeout does not count as a response. */
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

const SILENCE = Object.assign(new Error('no name server has answered'), { code: dns.TIMEOUT });

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
 * Returns the error for a failed lookup. It is a final error only if both address families report that the name does
 * not exist, because any other failure may be temporary.
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

/** Creates a function that caches a file for a second, and keeps the last content while the file cannot be read. */
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
 * Search domains of /etc/resolv.conf, as described in resolv.conf(5). In a pod, names such as `rx.default.svc` need
 * them.
 */
type SearchDomains = {
  domains: readonly string[];
  /**
   * Minimum number of dots of a name that is first tried unchanged. A name with fewer dots is first tried with the
   * domains.
   */
  ndots: number;
};

/** Parses the text of resolv.conf. If there are several `search` or `domain` lines, the last one counts. */
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
