import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { ConfirmWebhook } from '../agents/agent-rollout.ts';
import type { RolloutLine } from '../agents/rollouts/rollouts.sql.ts';
import { resolveRequestSecrets } from '../agents/tools/request-secrets.ts';
import { delay, epochMs, timeoutSignal } from '../clock.ts';
import { fromUuid } from '../ids.ts';
import type { EgressClient } from '../platform/egress/client.ts';
import { signBody, signStandard } from '../platform/egress/signature.ts';
import { traceHeaders } from '../platform/observability/trace-context.ts';
import type { ResourceStore } from '../platform/resources/resource-store.ts';
import type { Evidence } from './judge-rollout.ts';

/** The webhook that confirms the steps of a rollout (contract/rollouts.md#confirmation). */

/** Decision of the webhook. If the webhook fails, the decision is to hold the rollout. */
export type Confirmation = { decision: 'confirm' | 'hold' | 'abort'; reason: string };

export type Question = {
  namespace: string;
  webhook: ConfirmWebhook;
  line: RolloutLine;
  evidence: Evidence;
};

/**
 * Asks the webhook whether the next step may begin. Waits up to a second, and returns `undefined` if no answer has
 * arrived by then. Later calls for the same line of the rollout log do not ask again: they wait for the same answer, or
 * return it once it has arrived.
 */
export type ConfirmStep = (question: Question) => Promise<Confirmation | undefined>;

export type ConfirmStepDeps = {
  egress: Pick<EgressClient, 'send'>;
  store: Pick<ResourceStore, 'get'>;
  /** Version of Parley, for the `user-agent` header. */
  version: string;
};

const DEFAULT_TIMEOUT_MS = 8_000;
/**
 * Maximum time in ms that one call waits for the webhook's answer. A longer wait would delay the operator's work for
 * other agents.
 */
const WAIT_MS = 1_000;
const ANSWER_BYTES_MAX = 16 * 1024;
const REASON_MAX = 512;
/**
 * Maximum number of webhook answers kept in memory. An answer is needed again if the database fails before the decision
 * is stored. If the answer has been dropped by then, the webhook is asked again.
 */
const ANSWERS_MAX = 1_000;

export function createConfirmStep(deps: ConfirmStepDeps): ConfirmStep {
  const asked = new LRUCache<string, { answer?: Confirmation; asking: Promise<unknown> }>({
    max: ANSWERS_MAX,
  });
  return async (question) => {
    const id = questionId(question.line);
    let entry = asked.get(id);
    if (!entry) {
      const asking = ask(deps, question).then((answer) => Object.assign(fresh, { answer }));
      const fresh: { answer?: Confirmation; asking: Promise<unknown> } = { asking };
      asked.set(id, fresh);
      entry = fresh;
    }
    if (!entry.answer) await Promise.race([entry.asking, delay(WAIT_MS, { ref: false })]);
    return entry.answer;
  };
}

/**
 * Returns the ID of a question. A repeated question keeps its ID, for example after a change of leader. A question that
 * is asked after the rollout was held and resumed gets a new ID.
 */
function questionId({ publicId, seq }: RolloutLine): string {
  return `${publicId}.${seq}`;
}

/** Never rejects. */
async function ask(deps: ConfirmStepDeps, question: Question): Promise<Confirmation> {
  try {
    return await request(deps, question);
  } catch {
    return held('the request failed');
  }
}

async function request(deps: ConfirmStepDeps, question: Question): Promise<Confirmation> {
  const { namespace, webhook, line } = question;
  const secrets = await resolveRequestSecrets(deps.store, namespace, webhook);
  if ('reason' in secrets) return held(secrets.message);
  const { signing = '' } = secrets;
  const body = Buffer.from(JSON.stringify(payloadOf(question)));
  const id = questionId(line);
  const timestampSec = Math.floor(epochMs() / 1_000);
  const timeoutMs = webhook.timeoutMs ?? DEFAULT_TIMEOUT_MS;
  const late = timeoutSignal(timeoutMs);
  const outcome = await deps.egress.send({
    url: webhook.url,
    method: 'POST',
    headers: {
      accept: 'application/json',
      'content-type': 'application/json',
      'user-agent': `parley/${deps.version}`,
      'parley-signature': signBody(signing, body),
      'webhook-id': id,
      'webhook-timestamp': String(timestampSec),
      'webhook-signature': signStandard(signing, { id, timestampSec, body }),
      ...traceHeaders(),
    },
    body,
    once: true,
    maxResponseBytes: ANSWER_BYTES_MAX,
    timeoutMs,
    signal: late,
  });
  if (outcome.kind === 'error') {
    const isLate = outcome.errorClass === 'timeout' || late.aborted;
    return held(isLate ? tooLate(timeoutMs) : outcome.message.replace(/\.$/, ''));
  }
  const text = (await outcome.body).toString('utf8');
  if (late.aborted) return held(tooLate(timeoutMs));
  const { statusCode } = outcome;
  if (statusCode < 200 || statusCode > 299) return held(`it answered with status ${statusCode}`);
  return readAnswer(text);
}

/**
 * Returns the request body, with the step that has passed and the share of conversations that the new version would get
 * next.
 */
function payloadOf({ line, evidence }: Question): object {
  const { plan, step, weight, fromVersion, toVersion } = line;
  const { from, to, checks } = evidence;
  return {
    type: 'rollout.confirm',
    data: {
      agent_id: fromUuid('agt', line.agentId),
      rollout_id: line.publicId,
      step: step + 1,
      steps: plan.steps.length,
      weight,
      next_weight: plan.steps[step + 1]?.weight ?? 100,
      from_version: fromVersion,
      to_version: toVersion,
      evidence: { from, to, checks },
    },
  };
}

const Answer = z.object({
  decision: z.enum(['confirm', 'hold', 'abort']),
  reason: z.string().nullish(),
});

function readAnswer(text: string): Confirmation {
  const parsed = Answer.safeParse(parse(text));
  if (!parsed.success) return held('its response must have a `decision`: confirm, hold or abort');
  const { decision, reason } = parsed.data;
  const words = (reason ?? '').replaceAll(/\p{Cc}+/gu, ' ').trim();
  const why = words.toWellFormed().slice(0, REASON_MAX).toWellFormed();
  return { decision, reason: `the webhook answered ${decision}${why === '' ? '' : `: ${why}`}` };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function held(problem: string): Confirmation {
  return { decision: 'hold', reason: `the webhook did not confirm: ${problem}` };
}

function tooLate(timeoutMs: number): string {
  return `it did not answer within ${timeoutMs} ms`;
}
