/**
 * Errors caused by callers: one class and one catalogue of codes. Throw an `ApiError` for a caller's mistake; its text
 * is shown to the caller. Any other error is a bug or an outage: a single handler processes it and never shows its
 * text.
 */

/** Every error code, with its fixed HTTP status and title (contract/errors.md#codes). */
export const ERROR_CATALOGUE = {
  malformed_json: { status: 400, title: 'The body is not valid JSON' },
  malformed_request: { status: 400, title: 'The request is malformed' },
  unknown_parameter: { status: 400, title: 'Unknown query parameter' },
  invalid_parameter: { status: 400, title: 'Invalid parameter' },
  unauthorized: { status: 401, title: 'A valid API key is required' },
  invalid_signature: { status: 401, title: 'Invalid signature' },
  missing_scope: { status: 403, title: 'The API key lacks a required scope' },
  origin_not_allowed: { status: 403, title: 'The origin is not allowed' },
  foreign_origin: { status: 403, title: 'The request comes from a different origin' },
  https_required: { status: 403, title: 'HTTPS is required' },
  not_found: { status: 404, title: 'Not found' },
  method_not_allowed: { status: 405, title: 'Method not allowed' },
  name_taken: { status: 409, title: 'The name is taken' },
  managed_elsewhere: { status: 409, title: 'Another manager owns the object' },
  version_recalled: { status: 409, title: 'The version was recalled' },
  version_is_live: { status: 409, title: 'The version is live' },
  nothing_to_roll_back_to: { status: 409, title: 'Nothing to roll back to' },
  write_conflict: { status: 409, title: 'Conflicting concurrent change' },
  namespace_refused: { status: 409, title: 'The namespace does not accept the change' },
  idempotency_in_progress: { status: 409, title: 'The first request is still in progress' },
  no_rollout: { status: 409, title: 'No rollout is in progress' },
  not_published: { status: 409, title: 'The agent has no live version' },
  conversation_ended: { status: 409, title: 'The conversation has ended' },
  already_escalated: { status: 409, title: 'A human has already been requested' },
  already_accepted: { status: 409, title: 'Another human agent has accepted the escalation' },
  escalation_closed: { status: 409, title: 'The escalation is closed' },
  escalation_not_accepted: { status: 409, title: 'Nobody has accepted the escalation' },
  no_content: { status: 409, title: 'The knowledge source has no content yet' },
  gap_open: { status: 409, title: 'The knowledge gap is open' },
  gap_resolved: { status: 409, title: 'The knowledge gap is already resolved' },
  call_ended: { status: 409, title: 'The call has ended' },
  call_not_connected: { status: 409, title: 'The call is not connected' },
  call_transferring: { status: 409, title: 'The call is already being transferred' },
  delivery_finished: { status: 409, title: 'The delivery has finished' },
  sync_finished: { status: 409, title: 'The sync has finished' },
  job_finished: { status: 409, title: 'The job has finished' },
  last_key: { status: 409, title: 'This is the last key that can manage keys' },
  rotation_in_progress: { status: 409, title: 'The secret is already being rotated' },
  no_rotation: { status: 409, title: 'No rotation is in progress' },
  managed_secret: { status: 409, title: 'The secret is stored in Kubernetes' },
  quota_exceeded: { status: 409, title: 'Quota exceeded' },
  endpoint_disabled: { status: 409, title: 'The endpoint is disabled' },
  event_expired: { status: 410, title: 'The event is too old' },
  event_erased: { status: 410, title: 'The event was erased' },
  precondition_failed: { status: 412, title: 'The resource has changed' },
  body_too_large: { status: 413, title: 'The body is too large' },
  unsupported_media_type: { status: 415, title: 'Unsupported media type' },
  invalid_body: { status: 422, title: 'The body is invalid' },
  idempotency_key_reused: { status: 422, title: 'Idempotency key reused with a different body' },
  unsupported_type: { status: 422, title: 'Not supported for this type' },
  unknown_version: { status: 422, title: 'Unknown version' },
  rate_limited: { status: 429, title: 'Too many requests' },
  too_many_in_flight: { status: 429, title: 'Too many requests in progress' },
  internal: { status: 500, title: 'Internal error' },
  reply_failed: { status: 502, title: 'The agent could not answer' },
  unavailable: { status: 503, title: 'Temporarily unavailable' },
} as const satisfies Record<string, { status: number; title: string }>;

export type ErrorCode = keyof typeof ERROR_CATALOGUE;

/** Error in one field of the body. `pointer` is a JSON Pointer (RFC 6901); '' means the whole body. */
export type FieldError = { pointer: string; code: string; detail: string };

export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: ErrorCode;
  readonly errors: readonly FieldError[];
  /** Seconds after which a retry may succeed, sent as `Retry-After`. */
  readonly retryAfterSec: number | undefined;

  /** @param detail shown to the caller: describe the mistake and how to fix it */
  constructor(
    code: ErrorCode,
    detail: string,
    options: ErrorOptions & { errors?: readonly FieldError[]; retryAfterSec?: number } = {},
  ) {
    super(detail, options);
    this.code = code;
    this.errors = options.errors ?? [];
    this.retryAfterSec = options.retryAfterSec;
  }

  get status(): number {
    return ERROR_CATALOGUE[this.code].status;
  }
}

/**
 * Returns `row`, the result of a lookup in a namespace.
 * @throws ApiError not_found if the lookup found no row, for example because the ID belongs to another namespace
 */
export function found<T>(row: T | undefined, noun: string): T {
  if (row === undefined) throw new ApiError('not_found', `There is no such ${noun}.`);
  return row;
}

/** Returns the message of a thrown value. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Returns the code of an error, such as `ENOENT` or PostgreSQL's `40001`; '' for an error without one. */
export function codeOf(error: unknown): string {
  const hasCode = typeof error === 'object' && error !== null && 'code' in error;
  return hasCode && typeof error.code === 'string' ? error.code : '';
}

/**
 * Mistake in the program's settings or arguments. The program prints it without a stack trace and exits with code 1.
 */
export class StartupError extends Error {
  override readonly name = 'StartupError';
}
