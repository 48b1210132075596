import { z } from 'zod';
import type { EgressClient } from '../../platform/egress/client.ts';
import {
  askCarrier,
  refusalOf,
  SHORT_TIMEOUT_MS,
  type CarrierAnswer,
  type CarrierQuestion,
} from '../ask-carrier.ts';
import type { CarrierAccount, CarrierApi, CallState, Dial } from '../carrier.ts';
import { stateOf, withoutPlus } from './callback.ts';

/**
 * Response to a request that places a call. `request_uuid` identifies the request, not the call. Webhooks report the ID
 * of the call.
 */
const Placed = z.object({ request_uuid: z.string().min(1) });
const Live = z.object({ calls: z.array(z.string().min(1).max(256)) });
const LiveCall = z.object({ call_status: z.string() });
const Ended = z.object({ objects: z.array(z.object({ call_uuid: z.string().min(1).max(256) })) });
const EndedCall = z.object({
  answer_time: z.string().nullish(),
  hangup_cause_name: z.string().nullish(),
});
const Refusal = z.object({ error: z.string() });

type Asked = Pick<CarrierQuestion, 'method' | 'timeoutMs'> & { path?: string; json?: object };

/** Creates a client for Plivo's REST API, version 1. */
export function createPlivoApi({ egress }: { egress: Pick<EgressClient, 'send'> }): CarrierApi {
  const ask = (
    { accountId, authToken, apiUrl }: CarrierAccount,
    { path = '', json, ...more }: Asked,
  ): Promise<CarrierAnswer> =>
    askCarrier(egress, {
      url: `${apiUrl}/v1/Account/${accountId}/Call/${path}`,
      authorization: `Basic ${Buffer.from(`${accountId}:${authToken}`).toString('base64')}`,
      ...(json && { body: { type: 'application/json', text: JSON.stringify(json) } }),
      ...more,
    });

  return {
    dial: async (account, call) => {
      const { status, body } = await ask(account, { json: dialing(call) });
      if (status < 300 && Placed.safeParse(body).success) return undefined;
      throw refusalOf(status, saying(body));
    },
    findDialed: async (account, { from, to, sinceMs }) => {
      const numbers = { from_number: withoutPlus(from), to_number: withoutPlus(to), limit: '20' };
      const list = async (more: Record<string, string>): Promise<unknown> => {
        const query = new URLSearchParams({ ...numbers, ...more });
        const { status, body } = await ask(account, { path: `?${query.toString()}` });
        if (status !== 200) throw new Error(`the carrier responded with ${status}${saying(body)}`);
        return body;
      };
      const [live] = Live.parse(await list({ status: 'live' })).calls;
      if (live !== undefined) return live;
      const end_time__gte = new Date(sinceMs - 1_000).toISOString().slice(0, 19).replace('T', ' ');
      return Ended.parse(await list({ end_time__gte })).objects[0]?.call_uuid;
    },
    stateOf: async (account, id) => {
      const path = pathOf(id);
      const read = (query: string): Promise<CarrierAnswer> =>
        ask(account, { path: `${path}${query}`, timeoutMs: SHORT_TIMEOUT_MS });
      const live = await read('?status=live');
      const call = LiveCall.safeParse(live.body);
      if (live.status === 200 && call.success) return stateOf(call.data.call_status);
      // Plivo responds with 404 to a query for a live call if the call has ended.
      return live.status === 404 ? endIn(await read('')) : undefined;
    },
    hangUp: async (account, id) => {
      const path = pathOf(id);
      const asked = { path, method: 'DELETE', timeoutMs: SHORT_TIMEOUT_MS } as const;
      const { status, body } = await ask(account, asked);
      if (status >= 500 || status === 429)
        throw new Error(`the carrier responded with ${status}${saying(body)}`);
    },
  };
}

function dialing({ detectsMachine, from, ringSec, statusCallback, to, url }: Dial): object {
  return {
    from: withoutPlus(from),
    to: withoutPlus(to),
    answer_url: url,
    answer_method: 'POST',
    ring_url: statusCallback,
    ring_method: 'POST',
    hangup_url: statusCallback,
    hangup_method: 'POST',
    ring_timeout: ringSec,
    // Detection is asynchronous, so that a person who answers does not have to wait for the result.
    ...(detectsMachine && {
      machine_detection: 'true',
      machine_detection_url: statusCallback,
      machine_detection_method: 'POST',
    }),
  };
}

/** Returns how a call ended, according to its record. */
function endIn({ status, body }: CarrierAnswer): CallState {
  const record = EndedCall.safeParse(body);
  if (status !== 200 || !record.success) return undefined;
  const { answer_time, hangup_cause_name } = record.data;
  if (answer_time) return stateOf('completed');
  const cause = (hangup_cause_name ?? '').toLowerCase();
  const known = CAUSES.find(([word]) => cause.includes(word));
  return stateOf(known?.[1] ?? 'failed');
}

/** Words in Plivo's names for hangup causes, each with the state that it indicates. */
const CAUSES = [
  ['busy', 'busy'],
  ['no answer', 'no-answer'],
  ['timeout', 'timeout'],
  ['cancel', 'canceled'],
] as const;

const pathOf = (id: string): string => `${encodeURIComponent(id)}/`;

/** Returns the carrier's reason for the log. It contains no secrets. */
function saying(body: unknown): string {
  const refusal = Refusal.safeParse(body).data;
  return refusal ? `: ${refusal.error.slice(0, 200)}` : '';
}
