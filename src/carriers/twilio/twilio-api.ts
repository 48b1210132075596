import { z } from 'zod';
import type { EgressClient } from '../../platform/egress/client.ts';
import { askCarrier, refusalOf, SHORT_TIMEOUT_MS, type CarrierAnswer } from '../ask-carrier.ts';
import type { CarrierAccount, CarrierApi } from '../carrier.ts';
import { sidSince, stateOf, statusIn } from '../twiml/statuses.ts';

const Made = z.object({ sid: z.string().min(1).max(256) });
const Refusal = z.object({ code: z.number().optional(), message: z.string() });

/** Creates a client for Twilio's REST API, version 2010-04-01. */
export function createTwilioApi({ egress }: { egress: Pick<EgressClient, 'send'> }): CarrierApi {
  const ask = (
    { accountId, authToken, apiUrl }: CarrierAccount,
    { path, form, timeoutMs }: { path: string; form?: URLSearchParams; timeoutMs?: number },
  ): Promise<CarrierAnswer> =>
    askCarrier(egress, {
      url: `${apiUrl}/2010-04-01/Accounts/${accountId}/${path}`,
      authorization: `Basic ${Buffer.from(`${accountId}:${authToken}`).toString('base64')}`,
      ...(form && { body: { type: 'application/x-www-form-urlencoded', text: form.toString() } }),
      ...(timeoutMs !== undefined && { timeoutMs }),
    });

  return {
    dial: async (account, call) => {
      const form = new URLSearchParams({
        From: call.from,
        To: call.to,
        Url: call.url,
        StatusCallback: call.statusCallback,
        Timeout: String(call.ringSec),
        // Detection is asynchronous, so that a person who answers does not hear silence until it finishes.
        ...(call.detectsMachine && {
          MachineDetection: 'DetectMessageEnd',
          AsyncAmd: 'true',
          AsyncAmdStatusCallback: call.statusCallback,
        }),
      });
      for (const event of ['initiated', 'ringing', 'answered', 'completed'])
        form.append('StatusCallbackEvent', event);
      const { status, body } = await ask(account, { path: 'Calls.json', form });
      const made = Made.safeParse(body);
      if (status < 300 && made.success) return made.data.sid;
      throw refusalOf(status, saying(body));
    },
    findDialed: async (account, { from, to, sinceMs }) => {
      // Twilio can filter only by day, in UTC. `sidSince` skips older calls.
      const day = new Date(sinceMs).toISOString().slice(0, 10);
      const query = new URLSearchParams({ From: from, To: to, 'StartTime>': day, PageSize: '50' });
      const { status, body } = await ask(account, { path: `Calls.json?${query.toString()}` });
      if (status !== 200) throw new Error(`the carrier responded with ${status}${saying(body)}`);
      return sidSince({ status, body }, sinceMs);
    },
    stateOf: async (account, id) => {
      const path = `Calls/${encodeURIComponent(id)}.json`;
      return stateOf(statusIn(await ask(account, { path, timeoutMs: SHORT_TIMEOUT_MS })) ?? '');
    },
    hangUp: async (account, id) => {
      const form = new URLSearchParams({ Status: 'completed' });
      const path = `Calls/${encodeURIComponent(id)}.json`;
      const { status, body } = await ask(account, { path, form, timeoutMs: SHORT_TIMEOUT_MS });
      if (status >= 500 || status === 429)
        throw new Error(`the carrier responded with ${status}${saying(body)}`);
    },
  };
}

/** Returns the carrier's reason for the log. It contains no secrets. */
function saying(body: unknown): string {
  const refusal = Refusal.safeParse(body);
  if (!refusal.success) return '';
  const { code, message } = refusal.data;
  return `: ${message.slice(0, 200)}${code === undefined ? '' : ` (${code})`}`;
}
