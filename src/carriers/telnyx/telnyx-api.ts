import { z } from 'zod';
import type { EgressClient } from '../../platform/egress/client.ts';
import { askCarrier, refusalOf, SHORT_TIMEOUT_MS, type CarrierAnswer } from '../ask-carrier.ts';
import type { CarrierAccount, CarrierApi } from '../carrier.ts';
import { sidSince, stateOf, statusIn } from '../twiml/statuses.ts';

/** Of the call that is placed it tells numbers and state; of its id its webhooks tell first. */
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

/** Telnyx' TeXML API, v2. Its lists and what it says of a call may be some seconds behind. */
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
        // During the call: a person would hear nothing until synchronous detection is done.
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
      // Not by its start: of one that rings that may not be known. What is older is left out below.
      const query = new URLSearchParams({ From: from, To: to, PageSize: '50' });
      const { status, body } = await ask(account, { path: `?${query.toString()}` });
      if (status !== 200) throw new Error(`the carrier answers ${status}${saying(body)}`);
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
        throw new Error(`the carrier answers ${status}${saying(body)}`);
    },
  };
}

/** An id has a colon, as in `v3:9X2v…`, which its own libraries leave as it is. */
function pathOf(id: string): string {
  return `/${encodeURIComponent(id).replaceAll('%3A', ':')}`;
}

/** What it says of why, for the log; it has no secret of ours. */
function saying(body: unknown): string {
  const [first] = Refusal.safeParse(body).data?.errors ?? [];
  if (!first) return '';
  const { code, title, detail } = first;
  const why = `: ${(detail ?? title).slice(0, 200)}`;
  return code === undefined ? why : `${why} (${code})`;
}
