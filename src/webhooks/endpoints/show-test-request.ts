import { ApiError } from '../../errors.ts';
import { encodeEnvelope } from '../../events/envelope.ts';
import type { EventData, EventType } from '../../events/event-types.ts';
import { fromUuid, newUuid } from '../../ids.ts';
import { traceHeaders } from '../../platform/observability/trace-context.ts';
import type { Pool } from '../../platform/postgres/pool.ts';
import type { Sealer } from '../../platform/postgres/sealing.ts';
import { readSealedEndpoint } from './endpoint-secrets.sql.ts';
import { signedHeaders } from './signed-headers.ts';
import { openSecrets, secretsAt } from './signing-secrets.ts';
import { requireEndpoint } from './write-endpoint.ts';

/** Placeholder for the values of the endpoint's own headers, which are never shown. */
const HIDDEN = '[hidden]';

export type ShownRequest = {
  url: string;
  method: 'POST';
  headers: Record<string, string>;
  /** The bytes of the body, decoded as UTF-8. */
  body: string;
};

/**
 * Returns the request of a test event exactly as it would be sent, signed with the current time. Does not store or send
 * it. Treat the response as confidential: the header `parley-test` is not signed, so anyone who sees the request could
 * leave the header out and send it to the receiver as a real event.
 * @throws ApiError not_found, write_conflict (no secret is active yet)
 */
export async function showTestRequest<T extends EventType>(
  deps: { pool: Pool; sealer: Sealer; nowMs: () => number; version: string },
  event: { namespace: string; endpointId: string; type: T; data: EventData<T> },
): Promise<ShownRequest> {
  const { namespace, endpointId, type, data } = event;
  const endpoint = await requireEndpoint(deps, { namespace, id: endpointId });
  const stored = await readSealedEndpoint(deps.pool, endpointId);
  if (!stored?.secrets) {
    throw new ApiError(
      'write_conflict',
      'The endpoint has no active secret yet. Try again in a second.',
    );
  }
  const nowMs = deps.nowMs();
  const timestampSec = Math.floor(nowMs / 1_000);
  const id = fromUuid('evt', newUuid(nowMs));
  const body = encodeEnvelope({ id, type, created: timestampSec, data });
  const { secret, next } = secretsAt(openSecrets(deps.sealer, endpoint, stored.secrets), nowMs);
  const isSwapped = next !== undefined && next.atMs <= nowMs;
  const signing = isSwapped
    ? { secret: next.secret, other: secret }
    : { secret, other: next?.secret };
  const hidden = endpoint.headerNames.map((name) => [name.toLowerCase(), HIDDEN]);
  return {
    url: endpoint.url,
    method: 'POST',
    headers: {
      ...Object.fromEntries(hidden),
      ...signedHeaders(
        { userAgent: `parley/${deps.version}`, ...signing },
        { id, type, body, attempt: 1, isTest: true, timestampSec },
      ),
      ...traceHeaders(),
    },
    body: body.toString(),
  };
}
