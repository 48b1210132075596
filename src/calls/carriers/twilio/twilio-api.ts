import { z } from 'zod';
import type { EgressClient } from '../../../platform/egress/client.ts';
import type { Account } from '../../providers/find-account.ts';
import { DialRefused } from '../carrier.ts';

/** The REST API of the carrier, 2010-04-01: one request each, no repeats of its own. */
export type TwilioApi = {
  /** Resolves with the carrier's id of the call. @throws DialRefused when it never will */
  dial: (account: Account, call: Dial) => Promise<string>;
  /** The id of a call that was placed since; undefined: there is none. */
  findDialed: (
    account: Account,
    call: Pick<Dial, 'from' | 'to'> & { sinceMs: number },
  ) => Promise<string | undefined>;
  /** As the carrier calls it; undefined: it knows no such call. */
  statusOf: (account: Account, providerCallId: string) => Promise<string | undefined>;
  /** One that is over already is no error. */
  hangUp: (account: Account, providerCallId: string) => Promise<void>;
};

export type Dial = {
  from: string;
  to: string;
  /** Asked for what to do once it is answered. */
  url: string;
  statusCallback: string;
  ringSec: number;
  /** Whether it is to find out if a machine answers. */
  detectsMachine: boolean;
};

const TIMEOUT_MS = 10_000;
/** Of questions that somebody waits for. */
const SHORT_TIMEOUT_MS = 3_000;
const ANSWER_BYTES_MAX = 256 * 1024;

const Made = z.object({ sid: z.string().min(1).max(256) });
const Read = z.object({ status: z.string() });
const Listed = z.object({
  calls: z.array(z.object({ sid: z.string(), date_created: z.string().nullish() })),
});
const Refusal = z.object({ code: z.number().optional(), message: z.string() });

export function createTwilioApi({ egress }: { egress: Pick<EgressClient, 'send'> }): TwilioApi {
  async function ask(
    { accountId, authToken, apiUrl }: Account,
    request: { path: string; form?: URLSearchParams; timeoutMs?: number },
  ): Promise<{ status: number; body: unknown }> {
    const { path, form, timeoutMs = TIMEOUT_MS } = request;
    const outcome = await egress.send({
      url: `${apiUrl.replace(/\/+$/, '')}/2010-04-01/Accounts/${accountId}/${path}`,
      method: form ? 'POST' : 'GET',
      headers: {
        authorization: `Basic ${Buffer.from(`${accountId}:${authToken}`).toString('base64')}`,
        accept: 'application/json',
        ...(form && { 'content-type': 'application/x-www-form-urlencoded' }),
      },
      ...(form && { body: form.toString() }),
      timeoutMs,
      maxResponseBytes: ANSWER_BYTES_MAX,
      // A call that is placed twice rings twice.
      ...(form && { once: true }),
    });
    if (outcome.kind === 'error') throw new Error(`the carrier: ${outcome.message}`);
    return { status: outcome.statusCode, body: parsed(await outcome.body) };
  }

  return {
    dial: async (account, call) => {
      const form = new URLSearchParams({
        From: call.from,
        To: call.to,
        Url: call.url,
        StatusCallback: call.statusCallback,
        Timeout: String(call.ringSec),
        ...(call.detectsMachine && { MachineDetection: 'DetectMessageEnd' }),
      });
      for (const event of ['initiated', 'ringing', 'answered', 'completed'])
        form.append('StatusCallbackEvent', event);
      const { status, body } = await ask(account, { path: 'Calls.json', form });
      const made = Made.safeParse(body);
      if (status < 300 && made.success) return made.data.sid;
      const reason = `the carrier answers ${status}${saying(body)}`;
      // 429 and what is wrong on its side may go by.
      if (status >= 400 && status < 500 && status !== 429) throw new DialRefused(reason);
      throw new Error(reason);
    },
    findDialed: async (account, { from, to, sinceMs }) => {
      // By days, in UTC: what is older is left out below.
      const day = new Date(sinceMs).toISOString().slice(0, 10);
      const query = new URLSearchParams({ From: from, To: to, 'StartTime>': day, PageSize: '50' });
      const { status, body } = await ask(account, { path: `Calls.json?${query.toString()}` });
      const listed = Listed.safeParse(body);
      if (status !== 200 || !listed.success)
        throw new Error(`the carrier answers ${status}${saying(body)}`);
      const isLate = (made: string | null | undefined): boolean =>
        made === null || made === undefined || Date.parse(made) >= sinceMs - 1_000;
      return listed.data.calls.find(({ date_created }) => isLate(date_created))?.sid;
    },
    statusOf: async (account, id) => {
      const path = `Calls/${encodeURIComponent(id)}.json`;
      const { status, body } = await ask(account, { path, timeoutMs: SHORT_TIMEOUT_MS });
      const read = Read.safeParse(body);
      return status === 200 && read.success ? read.data.status : undefined;
    },
    hangUp: async (account, id) => {
      const form = new URLSearchParams({ Status: 'completed' });
      const path = `Calls/${encodeURIComponent(id)}.json`;
      const { status, body } = await ask(account, { path, form, timeoutMs: SHORT_TIMEOUT_MS });
      if (status >= 500 || status === 429)
        throw new Error(`the carrier answers ${status}${saying(body)}`);
    },
  };
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}

/** What it says of why, for the log; it has no secret of ours. */
function saying(body: unknown): string {
  const refusal = Refusal.safeParse(body);
  if (!refusal.success) return '';
  const { code, message } = refusal.data;
  return `: ${message.slice(0, 200)}${code === undefined ? '' : ` (${code})`}`;
}
