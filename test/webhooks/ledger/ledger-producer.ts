import { Pool } from 'undici';
import type { LedgerEndpoint } from './ledger-entries.ts';

/** What a test event was answered with. */
export type Outcome =
  | { kind: 'accepted'; eventId: string; deliveryId: string }
  /** It did not happen; `odd`: with an answer that no fault explains. */
  | { kind: 'refused'; odd?: string }
  /** The answer was lost, or was a 5xx: a commit may have preceded it. */
  | { kind: 'unknown' };

export type Act = { endpoint: LedgerEndpoint; mark: string; idempotent: boolean };

const ANSWER_MS = 20_000;
/** In progress elsewhere, and too many requests. */
const LATER = [409, 429];

/** Sends test events on kept connections; an API that comes back on its port is found again. */
export function createProducer(
  api: () => { url: string; apiKey: string },
  connections: number,
): { send: (act: Act) => Promise<Outcome>; close: () => Promise<void> } {
  const pools = new Map<string, Pool>();

  async function request({ endpoint, mark, idempotent }: Act): Promise<Outcome> {
    const { url, apiKey } = api();
    const settings = { connections, headersTimeout: ANSWER_MS, bodyTimeout: ANSWER_MS };
    const pool = pools.get(url) ?? new Pool(url, settings);
    pools.set(url, pool);
    const { statusCode, body } = await pool.request({
      method: 'POST',
      path: `/v1/webhooks/${endpoint.id}/test`,
      headers: {
        authorization: `Bearer ${apiKey}`,
        'content-type': 'application/json',
        ...(idempotent && { 'idempotency-key': mark }),
      },
      body: JSON.stringify({ data: dataWith(mark) }),
    });
    const text = await body.text();
    if (statusCode === 202) {
      const { event_id: eventId, delivery_id: deliveryId } = JSON.parse(text) as {
        event_id: string;
        delivery_id: string;
      };
      return { kind: 'accepted', eventId, deliveryId };
    }
    if (statusCode >= 500) return { kind: 'unknown' };
    if (LATER.includes(statusCode)) return { kind: 'refused' };
    return { kind: 'refused', odd: `${statusCode} ${text}` };
  }

  return {
    send: (act) => request(act).catch(readFailure),
    close: async () => {
      await Promise.all([...pools.values()].map((pool) => pool.destroy()));
    },
  };
}

/** Data of `agent.published`, the default type of test events. */
function dataWith(mark: string): Record<string, unknown> {
  return {
    agent_id: 'agt_06dmv3v9ssn80yhpw1gqcsk0j4',
    name: 'ledger',
    version: 2,
    previous_version: 1,
    actor: `ledger-mark:${mark}`,
  };
}

function readFailure(error: unknown): Outcome {
  // By its property: under jest, errors that Node makes are of another realm.
  const isRefused =
    typeof error === 'object' && error !== null && 'code' in error && error.code === 'ECONNREFUSED';
  return { kind: isRefused ? 'refused' : 'unknown' };
}
