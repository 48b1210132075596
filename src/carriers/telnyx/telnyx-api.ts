import { z } from 'zod';
import type { EgressClient } from '../../platform/egress/client.ts';
import { askCarrier, refusalOf, SHORT_TIMEOUT_MS, type CarrierAnswer } from '../ask-carrier.ts';
import type { CarrierAccount, CarrierApi } from '../carrier.ts';
import { sidSince, stateOf, statusIn } from '../twiml/statuses.ts';

/**
 * Response to a request that places a call. `sid` is the ID of the call and may be absent. A webhook often reports the
 * ID before this response arrives.
 */
const Made = z.object({ sid: z.string().min(1).max(256).optional() });
const Refusal = z.object({
  errors: z.array(
    z.object({
      code: z.coerce.string().optional(),
      title: z.string(),
      detail: z.string().nullish(),
    }),
  ),
});

const JSON_TYPE = 'application/json';
const FORM_TYPE = 'application/x-www-form-urlencoded';

type Asked = { path: string; json?: object; form?: URLSearchParams; timeoutMs?: number };

/**
 * Creates a client for Telnyx's TeXML API, version 2. Its lists and states of calls may be several seconds out of date.
 */
export function createTelnyxApi({ egress }: { egress: Pick<EgressClient, 'send'> }): CarrierApi {
  const ask = (
    { accountId, authToken, apiUrl }: CarrierAccount,
    { path, json, form, timeoutMs }: Asked,
  ): Promise<CarrierAnswer> =>
    askCarrier(egress, {
      url: `${apiUrl}/v2/texml/Accounts/${accountId}/Calls${path}`,
      authorization: `Bearer ${authToken}`,
      ...(json && { body: { type: JSON_TYPE, text: JSON.stringify(json) } }),
      ...(form && { body: { type: FORM_TYPE, text: form.toString() } }),
      ...(timeoutMs !== undefined && { timeoutMs }),
    });

  return {
    dial: async (account, call) => {
      const json = {
        ApplicationSid: account.own['applicationId'],
        From: call.from,
        To: call.to,
        Url: call.url,
        UrlMethod: 'POST',
        StatusCallback: call.statusCallback,
        StatusCallbackMethod: 'POST',
        StatusCallbackEvent: 'initiated ringing answered completed',
        Timeout: call.ringSec,
        // Detection is asynchronous, so that a person who answers does not hear silence until it finishes.
        ...(call.detectsMachine && {
          MachineDetection: 'DetectMessageEnd',
          AsyncAmd: true,
          AsyncAmdStatusCallback: call.statusCallback,
          AsyncAmdStatusCallbackMethod: 'POST',
        }),
      };
      const { status, body } = await ask(account, { path: '', json });
      const made = Made.safeParse(body);
      if (status < 300 && made.success) return made.data.sid;
      throw refusalOf(status, saying(body));
    },
    findDialed: async (account, { from, to, sinceMs }) => {
      // The query does not filter by start time, because ringing calls may have none. `sidSince` skips older calls.
      const query = new URLSearchParams({ From: from, To: to, PageSize: '50' });
      const { status, body } = await ask(account, { path: `?${query.toString()}` });
      if (status !== 200) throw new Error(`the carrier responded with ${status}${saying(body)}`);
      return sidSince({ status, body }, sinceMs);
    },
    stateOf: async (account, id) => {
      const path = pathOf(id);
      return stateOf(statusIn(await ask(account, { path, timeoutMs: SHORT_TIMEOUT_MS })) ?? '');
    },
    hangUp: async (account, id) => {
      const form = new URLSearchParams({ Status: 'completed' });
      const path = pathOf(id);
      const { status, body } = await ask(account, { path, form, timeoutMs: SHORT_TIMEOUT_MS });
      if (status >= 500 || status === 429)
        throw new Error(`the carrier responded with ${status}${saying(body)}`);
    },
  };
}

/**
 * Returns the path of a call. The colons in its ID, as in `v3:9X2v…`, are not escaped. Telnyx's own libraries do the
 * same.
 */
function pathOf(id: string): string {
  return `/${encodeURIComponent(id).replaceAll('%3A', ':')}`;
}

/** Returns the carrier's reason for the log. It contains no secrets. */
function saying(body: unknown): string {
  const [first] = Refusal.safeParse(body).data?.errors ?? [];
  if (!first) return '';
  const { code, title, detail } = first;
  const why = `: ${(detail ?? title).slice(0, 200)}`;
  return code === undefined ? why : `${why} (${code})`;
}
