import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import ipaddr from 'ipaddr.js';
import { StartupError } from '../../errors.ts';

/**
 * Decides which IP addresses an outgoing request may reach. All checks work on parsed, binary addresses. Comparing
 * strings would be unsafe: `127.1`, `0x7f000001` and `::ffff:7f00:1` can mean the same address, and no list of
 * spellings is complete.
 */

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Range = readonly [Address, number];

export type AddressGuard = {
  /**
   * Returns true if a request may go to this address, and false for a string that is not a plain IP address. `host` is
   * the name that resolved to the address: a host pattern in the operator's allow list may allow the address for that
   * name.
   */
  isAllowed: (address: string, host?: string) => boolean;
  /**
   * Returns true if the operator's allow list allows this address, by a CIDR or by a pattern that matches `host`.
   * Requests to such an address do not need TLS.
   */
  isListed: (address: string, host?: string) => boolean;
  /** Returns true if a pattern in the operator's allow list matches this host name. */
  isListedHost: (host: string) => boolean;
  /** Name or address of the cluster's API server; undefined outside a cluster. */
  apiServer: string | undefined;
  /**
   * Sets the current addresses of the API server. They are always blocked, even if the operator's allow list contains
   * them.
   */
  setApiServerAddresses: (addresses: readonly string[]) => void;
  /**
   * Returns true if the address belongs to this machine and Parley itself uses the port. Such a destination is always
   * blocked, even if the operator's allow list contains the address.
   */
  isOwnPort: (address: string, port: number) => boolean;
  /**
   * Sets the ports of this process and of its database. They stay blocked even if the operator's allow list contains
   * the machine's own addresses.
   */
  setOwnPorts: (ports: readonly number[]) => void;
};

/**
 * Link-local addresses, and the addresses of cloud metadata services. Most of these services have link-local addresses,
 * but Azure's (168.63.129.16) is an ordinary public one. Metadata services give credentials to every client, so the
 * operator's allow list cannot allow these addresses, not even with `0.0.0.0/0`.
 */
const NEVER_OPEN = [
  '169.254.0.0/16',
  'fe80::/10',
  '100.100.100.200/32',
  '168.63.129.16/32',
  '192.0.0.192/32',
  'fd00:ec2::254/128',
  'fd00:ec2::23/128',
  'fd20:ce::254/128',
].map(parseRange);

/** Prefixes of IPv6 addresses whose last 32 bits are an IPv4 address: IPv4-compatible, IPv4-translated and NAT64. */
const EMBEDS_IPV4_LAST = ['::/96', '::ffff:0:0:0/96', '64:ff9b::/96'].map(parseRange);
/**
 * Prefix for local-use NAT64 (RFC 8215). Each network chooses the length of its own prefix, so the embedded IPv4
 * address may be at one of several positions.
 */
const LOCAL_NAT64 = parseRange('64:ff9b:1::/48');
/** Positions of the bytes of the IPv4 address after a prefix of 48, 56, 64 and 96 bits (RFC 6052, 2.2). */
const NAT64_PLACES = [
  [6, 7, 9, 10],
  [7, 9, 10, 11],
  [9, 10, 11, 12],
  [12, 13, 14, 15],
] as const;
const SIX_TO_FOUR = parseRange('2002::/16');
const TEREDO = parseRange('2001::/32');
/**
 * Addresses that belong to no host. The guard ignores an embedded IPv4 address in this block: its bytes are really
 * zeros from the IPv6 prefix or suffix.
 */
const THIS_NETWORK = parseRange('0.0.0.0/8');
/** The only block from which IANA assigns routable IPv6 addresses. */
const GLOBAL_UNICAST_V6 = parseRange('2000::/3');

/**
 * ipaddr.js's names for the ranges that may contain the address of a Kubernetes Service. A host pattern on the
 * operator's allow list allows these ranges, but never loopback.
 */
const OPENED_BY_HOST: readonly string[] = ['private', 'carrierGradeNat', 'uniqueLocal'];

/**
 * Creates a guard. By default, it allows only public unicast addresses. `allow` is the operator's allow list
 * (`PARLEY_EGRESS_ALLOW`, contract/running.md#egress), which allows further addresses. A CIDR allows its addresses for
 * every host. A host pattern allows private addresses for the hosts that match. Throws a `StartupError` that names the
 * first item that is neither a CIDR nor a host pattern.
 */
export function createAddressGuard(deps: {
  allow: readonly string[];
  apiServer?: string | undefined;
}): AddressGuard {
  const { allow, apiServer } = deps;
  const opened = allow.filter((item) => item.includes('/')).map(parseRange);
  const hosts = allow.filter((item) => !item.includes('/')).map(parseHostPattern);
  let ownPorts: readonly number[] = [];
  let apiServerAddresses = wholeAddresses(apiServer === undefined ? [] : [apiServer]);

  const isNever = (ip: Address): boolean => inAny(ip, NEVER_OPEN) || inAny(ip, apiServerAddresses);
  const isListedHost = (host: string): boolean => hosts.some((matches) => matches(host));
  const isOpened = (ip: Address): boolean => {
    if (!inAny(ip, opened) || isNever(ip)) return false;
    // An allowed NAT64 prefix must not by itself allow the private IPv4 addresses behind it, such as 10.0.0.1.
    const inner = embeddedIPv4(ip);
    if (inner.length === 0) return true;
    return inner.some(mayReach) && inner.every((v4) => mayReach(v4) || inRange(v4, THIS_NETWORK));
  };
  const mayReach = (ip: Address): boolean => isOpened(ip) || (isGlobalUnicast(ip) && !isNever(ip));
  const isOpenedTo = (host: string | undefined, ip: Address): boolean =>
    host !== undefined && isListedHost(host) && OPENED_BY_HOST.includes(ip.range()) && !isNever(ip);

  return {
    isAllowed: (address, host) => {
      const parsed = parseAddress(address);
      if (parsed === undefined) return false;
      // An IPv4-mapped address is allowed only if the operator's allow list contains its IPv4 address. Nobody needs the
      // mapped form of a public IPv4 address.
      if (parsed.mapped) return isOpened(parsed.ip);
      return mayReach(parsed.ip) || isOpenedTo(host, parsed.ip);
    },
    isListed: (address, host) => {
      const parsed = parseAddress(address);
      if (parsed === undefined) return false;
      return isOpened(parsed.ip) || (!parsed.mapped && isOpenedTo(host, parsed.ip));
    },
    isListedHost,
    apiServer,
    setApiServerAddresses: (addresses) => {
      apiServerAddresses = wholeAddresses([
        ...addresses,
        ...(apiServer === undefined ? [] : [apiServer]),
      ]);
    },
    isOwnPort: (address, port) => ownPorts.includes(port) && isOfThisMachine(address),
    setOwnPorts: (ports) => {
      ownPorts = ports;
    },
  };
}

function isOfThisMachine(address: string): boolean {
  const ip = parseAddress(address)?.ip;
  if (ip === undefined || ip.range() === 'loopback') return true;
  const ours = Object.values(networkInterfaces()).flatMap((all) => all ?? []);
  return ours.some((one) => one.address === ip.toString());
}

/** Converts each address to a range that contains only this address. Skips strings that are not addresses. */
function wholeAddresses(texts: readonly string[]): Range[] {
  return texts.flatMap((text) => {
    const parsed = parseAddress(text);
    return parsed === undefined
      ? []
      : [[parsed.ip, parsed.ip.kind() === 'ipv4' ? 32 : 128] as const];
  });
}

const LABEL = '[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?';
/**
 * Syntax of a host pattern. It must have at least two labels, because a single label means a different host in each
 * namespace. The last label must not be a number; otherwise `10.0.0.1` would count as a host name.
 */
const HOST_PATTERN = new RegExp(`^(\\*|${LABEL})\\.(${LABEL}\\.)*(?!\\d+$)${LABEL}$`);

/** Parses a host pattern: `rx.default.svc`, or `*.default.svc` for every name with that ending. */
function parseHostPattern(text: string): (host: string) => boolean {
  const pattern = text.toLowerCase();
  if (isIP(text) !== 0 || !HOST_PATTERN.test(pattern) || pattern.length > 253) {
    throw new StartupError(
      `"${text}" is neither a CIDR nor a host pattern: write it like 10.0.0.0/8, rx.default.svc or *.default.svc`,
    );
  }
  if (pattern.endsWith('.localhost')) {
    throw new StartupError(
      `"${text}" means this machine itself: use 127.0.0.0/8 and ::1/128 instead`,
    );
  }
  if (!pattern.startsWith('*')) return (host) => host === pattern;
  const suffix = pattern.slice(1);
  return (host) => host.endsWith(suffix) && host.length > suffix.length;
}

/**
 * Parses an address. Returns undefined for a string that a socket would not accept as an address. One example is
 * `127.1`, which ipaddr.js would accept.
 */
function parseAddress(text: string): { ip: Address; mapped: boolean } | undefined {
  if (isIP(text) === 0) return undefined;
  const ip = ipaddr.parse(hexOnly(text));
  if (ip instanceof ipaddr.IPv4) return { ip, mapped: false };
  // Rejects a zone (`%eth0`). It selects a network interface, and no receiver's address needs one.
  if (ip.zoneId !== undefined) return undefined;
  return ip.isIPv4MappedAddress()
    ? { ip: ip.toIPv4Address(), mapped: true }
    : { ip, mapped: false };
}

/**
 * Rewrites `::127.0.0.1` as `::7f00:1`. ipaddr.js parses the dotted spelling as the mapped address ::ffff:127.0.0.1,
 * but the kernel does not. Without this step, the guard would check a different address from the one that the kernel
 * uses.
 */
function hexOnly(text: string): string {
  if (!text.includes(':')) return text;
  return text.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)/, (_dotted, ...parts: unknown[]) => {
    const [a = 0, b = 0, c = 0, d = 0] = parts.slice(0, 4).map(Number);
    return `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
  });
}

/** Parses a CIDR. Requires a complete address before the slash, because ipaddr.js parses `10/8` as 0.0.0.10/8. */
function parseRange(cidr: string): Range {
  const [address = '', prefix = '', ...rest] = cidr.split('/');
  const isWhole = isIP(address) !== 0 && /^\d{1,3}$/.test(prefix) && rest.length === 0;
  if (!isWhole || !ipaddr.isValidCIDR(hexOnly(cidr))) {
    throw new StartupError(`"${cidr}" is not a CIDR: write it like 10.0.0.0/8 or fd00::/8`);
  }
  const [ip, bits] = ipaddr.parseCIDR(hexOnly(cidr));
  if (ip instanceof ipaddr.IPv6 && ip.isIPv4MappedAddress()) {
    throw new StartupError(
      `"${cidr}" is an IPv4 range in IPv6 notation: write it as IPv4, like 10.0.0.0/8`,
    );
  }
  return [ip, bits];
}

function inRange(ip: Address, [base, bits]: Range): boolean {
  return ip.kind() === base.kind() && ip.match(base, bits);
}

function inAny(ip: Address, ranges: readonly Range[]): boolean {
  return ranges.some((range) => inRange(ip, range));
}

/**
 * Returns true for a public address, and false in case of doubt. ipaddr.js must not assign the address a special
 * purpose, and an IPv6 address must also be in 2000::/3. The second rule excludes addresses that the library does not
 * classify, such as `::a9fe:a9fe` and all unassigned ones.
 */
function isGlobalUnicast(ip: Address): boolean {
  if (ip.range() !== 'unicast') return false;
  return ip.kind() === 'ipv4' || inRange(ip, GLOBAL_UNICAST_V6);
}

/** Returns every IPv4 address to which a packet sent to this address might be translated. */
function embeddedIPv4(ip: Address): ipaddr.IPv4[] {
  // `::1` is in the IPv4-compatible block but embeds no IPv4 address.
  if (ip.range() === 'loopback') return [];
  const bytes = ip.toByteArray();
  if (inAny(ip, EMBEDS_IPV4_LAST)) return [new ipaddr.IPv4(bytes.slice(12))];
  if (inRange(ip, SIX_TO_FOUR)) return [new ipaddr.IPv4(bytes.slice(2, 6))];
  // Teredo: the client's address is stored with every bit inverted (RFC 4380, 4).
  if (inRange(ip, TEREDO)) return [new ipaddr.IPv4(bytes.slice(12).map((byte) => byte ^ 0xff))];
  if (!inRange(ip, LOCAL_NAT64)) return [];
  return NAT64_PLACES.map((places) => new ipaddr.IPv4(places.map((place) => bytes[place] ?? 0)));
}
