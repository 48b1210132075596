import { codeOf as errorCode } from '../../errors.ts';

/**
 * Failure of an outgoing request. It has a class for statistics, and a message that is safe to show to tenants. Node's
 * own error messages are never shown. They contain the address that was tried (`connect ECONNREFUSED 10.0.0.7:443`), so
 * a tenant could scan the network by reading the log of attempts.
 */

/** Class of a failure. `blocked` means that our rules refused the request before anything was sent. */
export type FailureClass = 'timeout' | 'dns' | 'connect' | 'tls' | 'blocked';

export class EgressFailure extends Error {
  override readonly name = 'EgressFailure';
  readonly errorClass: FailureClass;

  constructor(errorClass: FailureClass, message: string, options: ErrorOptions = {}) {
    super(message, options);
    this.errorClass = errorClass;
  }
}

const DNS_MESSAGES: Record<string, string> = {
  ENOTFOUND: 'The host name does not exist.',
  ENODATA: 'The host name has no address.',
  EAI_AGAIN: 'The name server did not respond, so the host name could not be resolved.',
};

const CONNECT_MESSAGES: Record<string, string> = {
  ECONNREFUSED: 'The server refused the connection.',
  ECONNRESET: 'The server closed the connection before it responded.',
  EPIPE: 'The server closed the connection before it responded.',
  UND_ERR_SOCKET: 'The server closed the connection before it responded.',
  EHOSTUNREACH: 'The server cannot be reached: there is no route to its network.',
  ENETUNREACH: 'The server cannot be reached: there is no route to its network.',
  UND_ERR_HEADERS_OVERFLOW: 'The response headers are larger than 16 KiB.',
};

/**
 * Message for an unexpected 100 Continue, which undici reports as `bad response`. undici reports no other error with
 * that text.
 */
const CONTINUE_MESSAGE =
  'The server responded with 100 Continue, which the request did not ask for.';

const TLS_MESSAGES: Record<string, string> = {
  CERT_HAS_EXPIRED: "The server's certificate has expired.",
  CERT_NOT_YET_VALID: "The server's certificate is not valid yet.",
  DEPTH_ZERO_SELF_SIGNED_CERT: "The server's certificate is self-signed.",
  SELF_SIGNED_CERT_IN_CHAIN: "The server's certificate comes from an unknown authority.",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    "The server's certificate comes from an unknown authority, or an intermediate certificate is missing.",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    "The server's certificate comes from an unknown authority, or an intermediate certificate is missing.",
  ERR_TLS_CERT_ALTNAME_INVALID: "The server's certificate is for a different host name.",
};

export function dnsFailure(cause: unknown): EgressFailure {
  const message = DNS_MESSAGES[codeOf(cause)] ?? 'The host name could not be resolved.';
  return new EgressFailure('dns', message, { cause });
}

export function tlsFailure(cause: unknown): EgressFailure {
  const message = TLS_MESSAGES[codeOf(cause)] ?? withCode('The TLS handshake failed', cause);
  return new EgressFailure('tls', message, { cause });
}

/**
 * Returns the failure for an error that occurred after the name was resolved and before the response headers were
 * complete. TLS errors and the request's own timeout are handled elsewhere.
 */
export function connectFailure(cause: unknown): EgressFailure {
  if (cause instanceof EgressFailure) return cause;
  const code = codeOf(cause);
  // The kernel's connection timeout expired before the request's deadline.
  if (code === 'ETIMEDOUT') {
    return new EgressFailure('timeout', 'The connection attempt timed out.', { cause });
  }
  if (code === 'UND_ERR_SOCKET' && cause instanceof Error && cause.message === 'bad response') {
    return new EgressFailure('connect', CONTINUE_MESSAGE, { cause });
  }
  const message = code.startsWith('HPE_')
    ? withCode("The server's response is not valid HTTP/1.1", cause)
    : (CONNECT_MESSAGES[code] ?? withCode('The connection to the server failed', cause));
  return new EgressFailure('connect', message, { cause });
}

/** Returns true if the peer closed the connection, which it may do at any time while the connection is idle. */
export function isDroppedConnection(error: unknown): boolean {
  return ['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'].includes(codeOf(error));
}

/** Returns true if this machine has no file descriptor, port or buffer left for another connection or name lookup. */
export function isOutOfSockets(error: unknown): boolean {
  const cause = error instanceof EgressFailure ? error.cause : error;
  return ['EMFILE', 'ENFILE', 'EADDRNOTAVAIL', 'ENOBUFS'].includes(codeOf(cause));
}

function withCode(sentence: string, cause: unknown): string {
  const code = codeOf(cause);
  return code === '' ? `${sentence}.` : `${sentence} (${code}).`;
}

/**
 * Returns the code of a Node or undici error, or '' if it has none. If several addresses were tried, returns the code
 * of the first attempt.
 */
function codeOf(error: unknown): string {
  const hasSeveral = error instanceof AggregateError && error.errors.length > 0;
  return errorCode(hasSeveral ? error.errors[0] : error);
}
