import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { ok, parley, type BodyOf, type ItemOf } from './parley.ts';

export type Endpoint = ItemOf<'/v1/webhooks'>;
export type Delivery = ItemOf<'/v1/deliveries'>;
export type Attempt = Delivery['attempts'][number];
export type ErrorClass = NonNullable<Attempt['error_class']>;
export type Job = ItemOf<'/v1/jobs'>;

/** An endpoint and its ETag. Updates send the ETag, so that they never overwrite somebody else's change. */
export type TaggedEndpoint = { endpoint: Endpoint; etag: string };

/** Polling interval in ms for an endpoint's health, which the stream does not report (contract/events.md#changes). */
const HEALTH_MS = 5_000;
const QUICK_MS = 1_000;

/** Describes the health of an endpoint in a sentence. For a failing endpoint, names the cause of the last failure. */
export function healthText({ status, status_message: text, last_failure: last }: Endpoint): string {
  if (status !== 'failing' || !last) return text ?? '';
  const { status_code: code, error_class: why } = last;
  if (code !== null) return `The receiver responds with status ${code}.`;
  return `Deliveries fail: ${why?.replace('_', ' ') ?? 'no response'}.`;
}

export function endpointKey(id: string): readonly unknown[] {
  return ['webhooks', 'one', id];
}

export function useEndpoint(id: string): UseQueryResult<TaggedEndpoint> {
  return useQuery({
    queryKey: endpointKey(id),
    refetchInterval: HEALTH_MS,
    queryFn: ({ signal }) =>
      tagged(parley.GET('/v1/webhooks/{id}', { params: { path: { id } }, signal })),
  });
}

/**
 * Loads all endpoints of the namespace, to offer them in selections and to show their names in deliveries. A quota
 * limits their number.
 */
export function useEndpoints(): UseQueryResult<Endpoint[]> {
  return useQuery({
    queryKey: ['webhooks', 'all'],
    queryFn: async () => {
      const all: Endpoint[] = [];
      for await (const endpoint of parley.list('/v1/webhooks')) all.push(endpoint);
      return all;
    },
  });
}

/** Loads a delivery. Polls it every second until it is settled, and every 30 seconds afterwards. */
export function useDelivery(id: string): UseQueryResult<Delivery> {
  return useQuery({
    queryKey: ['deliveries', 'one', id],
    queryFn: ({ signal }) => readDelivery(id, signal),
    refetchInterval: ({ state }) => (isSettled(state.data) ? HEALTH_MS * 6 : QUICK_MS),
  });
}

export function readDelivery(id: string, signal?: AbortSignal): Promise<Delivery> {
  const params = { params: { path: { id } }, ...(signal && { signal }) };
  return ok(parley.GET('/v1/deliveries/{id}', params));
}

/** Returns true if no attempt is in progress, and none is expected within the next two seconds. */
export function isSettled(delivery: Delivery | undefined): boolean {
  if (!delivery || delivery.in_flight_since !== null) return false;
  const { next_attempt_at: next, status } = delivery;
  if (status !== 'pending' && status !== 'retrying') return true;
  return next !== null && next > Date.now() / 1_000 + 2;
}

/**
 * Returns the interval in ms at which to refresh a list of deliveries, or false to stop. A list is refreshed while one
 * of its deliveries is not settled. An empty list is also refreshed, because somebody may be waiting for the first
 * delivery.
 */
export function whileUnsettled(rows: readonly Delivery[]): number | false {
  if (rows.length === 0) return HEALTH_MS;
  return rows.some((row) => !isSettled(row)) ? 2 * QUICK_MS : false;
}

type Written = Endpoint & { secret?: string };

export async function tagged<Read extends Written>(
  answer: Promise<{ data?: Read; error?: unknown; response: Response }>,
): Promise<{ endpoint: Read; etag: string }> {
  const { response } = await answer;
  return { endpoint: await ok(answer), etag: response.headers.get('etag') ?? '*' };
}

/** Removes the secret from a response before the response is cached. */
export function withoutSecret(tagged: { endpoint: Written; etag: string }): TaggedEndpoint {
  const endpoint = { ...tagged.endpoint };
  delete endpoint.secret;
  return { endpoint, etag: tagged.etag };
}

/** @throws ParleyError `precondition_failed` if the endpoint changed after it was read */
export function patchEndpoint(
  { endpoint: { id }, etag }: TaggedEndpoint,
  patch: BodyOf<'/v1/webhooks/{id}', 'patch'>,
): Promise<TaggedEndpoint> {
  const params = { path: { id }, header: { 'If-Match': etag } };
  return tagged(parley.PATCH('/v1/webhooks/{id}', { params, body: patch }));
}

export async function deleteEndpoint({ endpoint: { id }, etag }: TaggedEndpoint): Promise<void> {
  const params = { path: { id }, header: { 'If-Match': etag } };
  await ok(parley.DELETE('/v1/webhooks/{id}', { params }));
}
