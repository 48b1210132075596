import { isIP } from 'node:net';
import type { AddressGuard } from './address-guard.ts';

/**
 * Checks a URL against the rules that need no DNS lookup, so that the user gets an early and helpful error. The actual
 * protection is the check at connection time (connector.ts), which sees the current addresses of a name. All ports are
 * allowed, because some receivers use unusual ones, and a list of ports would stop nothing that passes the address
 * check.
 */

const MAX_URL_CHARS = 2048;

/**
 * Suffixes that are meaningful only inside a private network or the cluster. They come from RFC 6762 (appendix G), RFC
 * 8375, ICANN (`internal`) and Kubernetes (`svc`, and the namespace `default`).
 */
const INTERNAL_SUFFIXES = [
  'corp',
  'home',
  'home.arpa',
  'internal',
  'intranet',
  'lan',
  'local',
  'localdomain',
  'private',
  'default',
  'svc',
];
/** Names of the Kubernetes API server, in every form that resolves inside a cluster. */
const API_SERVER = /^kubernetes(\.default(\.svc(\..+)?)?)?$/;

/**
 * Checks a URL against the address rules (contract/webhooks.md#addresses). Among other things, https is required,
 * except for `localhost` and for addresses and host names on the operator's allow list. `problem` is one sentence that
 * says what to change, and is safe to show to tenants.
 */
export function checkUrl(raw: string, guard: AddressGuard): { url: URL } | { problem: string } {
  const spelling = spellingProblem(raw);
  if (spelling !== undefined) return { problem: spelling };

  const url = URL.canParse(raw) ? new URL(raw) : undefined;
  if (url === undefined) {
    return { problem: 'The URL is invalid: write it like https://example.com/path.' };
  }
  const problem = hostProblem(url, guard);
  return problem === undefined ? { url } : { problem };
}

/** Returns a URL's host without brackets and without a trailing dot, as DNS, TLS and `isIP` expect it. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
}

/** Checks the URL as it was written, because the URL parser silently repairs or drops invalid characters. */
function spellingProblem(raw: string): string | undefined {
  if (raw.length > MAX_URL_CHARS) {
    return `The URL has more than ${MAX_URL_CHARS} characters: shorten it.`;
  }
  if (/[\s\p{Cc}\p{Cf}\\]/u.test(raw)) {
    return 'The URL has a space, a control character or a backslash: remove or percent-encode it.';
  }
  const authority = /^https?:\/\/([^/?#]+)/i.exec(raw)?.[1];
  if (authority === undefined) {
    return 'The URL must start with https:// and a host: write it like https://example.com/path.';
  }
  if (authority.includes('@')) {
    return 'The URL contains a user name or password: remove it and use a header instead.';
  }
  if (raw.includes('#')) {
    return 'The URL has a fragment, which is never sent: remove "#" and everything after it.';
  }
  return undefined;
}

function hostProblem(url: URL, guard: AddressGuard): string | undefined {
  const host = hostOf(url);
  const isLocal = host === 'localhost' || host.endsWith('.localhost');
  const isLiteral = isIP(host) !== 0;

  const refusal = isLiteral
    ? literalProblem(host, guard)
    : isLocal
      ? localhostProblem(guard)
      : nameProblem(host, guard);
  if (refusal !== undefined) return refusal;
  const port = portOf(url);
  if ((isLocal || isLiteral) && guard.isOwnPort(isLocal ? '127.0.0.1' : host, port)) {
    return `Port ${port} of this machine is used by Parley itself: use a different host or port.`;
  }

  const mayBePlain = isLocal || (isLiteral ? guard.isListed(host) : guard.isListedHost(host));
  if (url.protocol === 'http:' && !mayBePlain) {
    return 'The URL must use https: http is allowed only for localhost, and for addresses and hosts in PARLEY_EGRESS_ALLOW.';
  }
  return undefined;
}

/** Checks a literal IP address. The URL parser has already normalized 127.1, 0x7f000001 and ①②⑦.⓪.⓪.① to 127.0.0.1. */
function literalProblem(host: string, guard: AddressGuard): string | undefined {
  if (guard.isAllowed(host)) return undefined;
  return `The address ${host} is not public: use a public host, or ask the operator to add it to PARLEY_EGRESS_ALLOW.`;
}

function localhostProblem(guard: AddressGuard): string | undefined {
  if (guard.isListed('127.0.0.1') || guard.isListed('::1')) return undefined;
  return 'The host is this machine itself: use a public host, or ask the operator to add 127.0.0.0/8 to PARLEY_EGRESS_ALLOW.';
}

function nameProblem(host: string, guard: AddressGuard): string | undefined {
  const labels = host.split('.');
  if (host.length > 253 || labels.some((label) => label === '' || label.length > 63)) {
    return 'The host name is not valid: each part may have 1 to 63 characters, and the whole name at most 253.';
  }
  if (API_SERVER.test(host)) {
    return (
      `The host "${host}" is the Kubernetes API server, which only a private network can ` +
      'resolve and PARLEY_EGRESS_ALLOW cannot allow: use a different host.'
    );
  }
  if (labels.length === 1) {
    return `The host "${host}" has no domain, so only a private network can resolve it: use a full name.`;
  }
  if (guard.isListedHost(host)) return undefined;
  const suffix = INTERNAL_SUFFIXES.find((known) => host.endsWith(`.${known}`) || host === known);
  if (suffix !== undefined) {
    return (
      `The host ends in ".${suffix}", which only a private network can resolve: use a public ` +
      'name, or ask the operator to add the host to PARLEY_EGRESS_ALLOW.'
    );
  }
  return undefined;
}

/** Returns the port of a URL, or the default port of its protocol. */
export function portOf({ port, protocol }: { port: string; protocol: string }): number {
  return Number(port || (protocol === 'https:' ? 443 : 80));
}
