/**
 * What a host name means now: the hosts file, then the name servers of /etc/resolv.conf.
 *
 * Not `dns.lookup`: that is getaddrinfo on libuv's thread pool, which gives it two threads. Two names
 * whose servers are silent stop every other lookup of the process for ten seconds and more
 * (fault F-23), and neither a time-out nor a limit per endpoint helps, as a lookup under way cannot
 * be given up. c-ares waits on sockets, not in threads, so any number of names may hang. What it
 * leaves out is done here (the hosts file, `localhost`) or not wanted: search domains, by which a
 * tenant's name could come to mean something inside the cluster, and other sources of nsswitch.
 */
import dns from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';

export type ResolvedAddress = { address: string; family: 4 | 6 };
export type Lookup = (hostname: string) => Promise<ResolvedAddress[]>;

/**
 * A lost packet costs a quarter of a second, a slow server may take up to four: questions are sent
 * 0, 0.25, 0.75, 1.75 and 3.75 s after the first. getaddrinfo asks again after five seconds.
 */
const QUESTION = { timeout: 250, tries: 5 };
/** Several name servers are asked in turn; below the ten seconds of an attempt, so that it says `dns`. */
const LOOKUP_MAX_MS = 8_000;
/** There are servers that answer for one family and are silent for the other (RFC 8305, 3). */
const OTHER_FAMILY_MS = 50;
const HOSTS_MAX_AGE_MS = 1_000;

/** As RFC 6761 has it: such names never leave the machine, whatever a name server would say. */
const LOOPBACK: ResolvedAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

export type NameLookupOptions = {
  /** `address:port` of the name servers. Default: those of the system, read anew for each lookup. */
  servers?: readonly string[];
  hostsFile?: string;
  /** A monotonic clock. */
  nowMs?: () => number;
};

/**
 * Addresses by turns of both families, IPv4 first: of the two it is the one that more often has a
 * route. Rejects with an error whose `code` is one of getaddrinfo's: ENOTFOUND, ENODATA, EAI_AGAIN.
 */
export function createNameLookup(options: NameLookupOptions = {}): Lookup {
  const { servers, hostsFile = '/etc/hosts', nowMs = () => performance.now() } = options;
  const readHosts = createHostsReader(hostsFile, nowMs);
  return async (hostname) => {
    const name = hostname.toLowerCase();
    if (name === 'localhost' || name.endsWith('.localhost')) return LOOPBACK;
    return (await readHosts()).get(name) ?? (await askServers(name, servers));
  };
}

/**
 * With a resolver of its own: it costs 50 µs beside a connection, and in return the servers are
 * those of now, each question comes from another port, and a name that hangs spoils neither the
 * order of the servers nor the time-outs of the next one.
 */
async function askServers(
  name: string,
  servers: readonly string[] | undefined,
): Promise<ResolvedAddress[]> {
  const resolver = new dns.Resolver(QUESTION);
  if (servers !== undefined) resolver.setServers(servers);
  const giveUp = (): void => resolver.cancel();
  const deadline = setTimeout(giveUp, LOOKUP_MAX_MS);
  let other: NodeJS.Timeout | undefined;
  const found = (addresses: string[]): string[] => {
    other ??= setTimeout(giveUp, OTHER_FAMILY_MS);
    return addresses;
  };
  try {
    const [v4, v6] = await Promise.allSettled([
      resolver.resolve4(name).then(found),
      resolver.resolve6(name).then(found),
    ]);
    const addresses = byTurns(v4, v6);
    if (addresses.length === 0) throw lookupError(name, [v4, v6]);
    return addresses;
  } finally {
    clearTimeout(deadline);
    clearTimeout(other);
  }
}

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

/** Not there for good only when both families say so: anything else may be right the next time. */
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

/** Keeps what it read for a second, and what it read last when the file cannot be read. */
function createHostsReader(file: string, nowMs: () => number): () => Promise<Hosts> {
  let hosts: Promise<Hosts> = Promise.resolve(new Map());
  let readAtMs = -Infinity;
  return () => {
    if (nowMs() - readAtMs > HOSTS_MAX_AGE_MS) {
      readAtMs = nowMs();
      const before = hosts;
      hosts = readFile(file, 'utf8').then(parseHosts, () => before);
    }
    return hosts;
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
