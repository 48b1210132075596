import { timeoutSignal } from '../../clock.ts';
import { fromUuid } from '../../ids.ts';
import type { EgressClient, EgressOutcome, EgressRequest } from '../../platform/egress/client.ts';
import { signBody, signStandard } from '../../platform/egress/signature.ts';
import { traceHeaders } from '../../platform/observability/trace-context.ts';
import type { Tool } from './tool-defaults.ts';
import type { Arguments } from './tool-arguments.ts';
import { ANSWER_BYTES_MAX, readAnswer, type Answer } from './read-answer.ts';
import type { FindToolSecrets } from './tool-secrets.ts';

/** This module calls tools of type `webhook` (contract/tools.md#requests). */

export type WebhookCall = {
  tool: Tool;
  /** Secrets that are not stored, for a single call that tries out the tool. */
  given?: Secrets;
  args: Arguments;
  /** Id that the model gave to the tool call. */
  callId: string;
  namespace: string;
  agentId: string;
  /** Conversation in which the tool is called; null for a single call that tries out the tool. */
  conversation: { id: string; agentVersion: number } | null;
  signal: AbortSignal;
};

export type CallWebhookDeps = {
  send: EgressClient['send'];
  userAgent: string;
  findSecrets: FindToolSecrets;
  /** Wall clock, for the signed timestamp. */
  nowMs: () => number;
};

/** Secrets for authentication and signing. */
type Secrets = { bearer?: string; signing?: string };

const DEFAULT_TIMEOUT_MS = 8_000;
/** Maximum length of a URL, including the parameters of a GET or DELETE. Many servers reject longer URLs. */
const URL_BYTES_MAX = 8 * 1024;

/**
 * Calls a webhook tool. Failures of the tool are returned, not thrown. The result contains no secret, even if the
 * tool's response repeats one.
 */
export async function callWebhook(deps: CallWebhookDeps, call: WebhookCall): Promise<Answer> {
  const secrets = await findSecrets(deps, call);
  if ('problem' in secrets) return { ok: false, error: secrets.problem };
  const timeoutMs = call.tool.timeoutMs ?? DEFAULT_TIMEOUT_MS;
  const late = timeoutSignal(timeoutMs);
  const request = buildRequest(deps, call, secrets);
  if ('problem' in request) return { ok: false, error: request.problem };
  const signal = AbortSignal.any([late, call.signal]);
  const outcome = await deps.send({ ...request, timeoutMs, signal });
  if (outcome.kind === 'response') await outcome.body;
  // Reports an aborted call as canceled even if its response has arrived. The tool may have taken effect in either
  // case.
  if (call.signal.aborted) return { ok: false, error: 'the call was canceled' };
  const isLate = late.aborted || (outcome.kind === 'error' && outcome.errorClass === 'timeout');
  if (isLate) return { ok: false, error: tooLate(outcome, timeoutMs) };
  return outcome.kind === 'response'
    ? readAnswer(outcome, Object.values(secrets))
    : { ok: false, error: withoutDot(outcome.message) };
}

async function findSecrets(
  deps: CallWebhookDeps,
  { tool, namespace, agentId, given = {} }: WebhookCall,
): Promise<Secrets | { problem: string }> {
  const { secretRef, signingSecretRef } = tool;
  const refs = [secretRef, signingSecretRef].flatMap((ref) => ref ?? []);
  if (refs.length === 0) return given;
  const values = await deps.findSecrets({ namespace, agentId }, refs);
  const gone = refs.find((_, at) => values[at] === undefined);
  if (gone) {
    const which = `key "${gone.key}" of Secret "${gone.name}"`;
    return {
      problem: `the tool cannot be called: ${which} does not exist, or Parley may not use it`,
    };
  }
  const [bearer, signing] = secretRef ? values : [undefined, values[0]];
  return {
    ...(bearer !== undefined && { bearer }),
    ...(signing !== undefined && { signing }),
    ...given,
  };
}

function tooLate(outcome: EgressOutcome, timeoutMs: number): string {
  return outcome.kind === 'error'
    ? `the tool did not answer within ${timeoutMs} ms; it is not known whether it did anything`
    : `the tool answered with status ${outcome.statusCode}, but did not finish its answer within ${timeoutMs} ms`;
}

function withoutDot(sentence: string): string {
  return sentence.replace(/\.$/, '');
}

function buildRequest(
  deps: CallWebhookDeps,
  call: WebhookCall,
  secrets: Secrets,
): Omit<EgressRequest, 'timeoutMs'> | { problem: string } {
  const { tool, args } = call;
  const { url = '', method = 'POST' } = tool;
  const hasBody = method !== 'GET' && method !== 'DELETE';
  const target = hasBody ? { url } : withQuery(url, args);
  if ('problem' in target) return target;
  const body = hasBody ? Buffer.from(JSON.stringify(args)) : undefined;
  return {
    ...target,
    method,
    headers: { ...headersOf(deps, call, body), ...secretHeaders(deps, call, { body, ...secrets }) },
    ...(body && { body }),
    // A request with any method other than GET may have effects, so it must not be sent twice.
    once: method !== 'GET',
    maxResponseBytes: ANSWER_BYTES_MAX,
  };
}

/**
 * Returns the headers. Reserved headers are added after the declared ones, so that a declared header never replaces
 * them.
 */
function headersOf(
  { userAgent }: CallWebhookDeps,
  { tool, callId, conversation, agentId }: WebhookCall,
  body: Buffer | undefined,
): Record<string, string> {
  const declared = Object.entries(tool.headers ?? {});
  const origin: Record<string, string> = conversation
    ? {
        'parley-conversation-id': fromUuid('conv', conversation.id),
        'parley-agent-version': String(conversation.agentVersion),
      }
    : { 'parley-test': 'true' };
  return {
    accept: 'application/json, text/plain',
    ...Object.fromEntries(declared.map(([name, value]) => [name.toLowerCase(), value])),
    ...(body && { 'content-type': 'application/json' }),
    'user-agent': userAgent,
    ...origin,
    'parley-agent-id': fromUuid('agt', agentId),
    'parley-tool-call-id': printable(callId),
    ...traceHeaders(),
  };
}

/**
 * Returns the header with the bearer token, and the same two signatures that events have (contract/tools.md#requests).
 * For a request without a body, the signatures cover an empty body.
 */
function secretHeaders(
  { nowMs }: CallWebhookDeps,
  { callId }: WebhookCall,
  { bearer, signing, body = Buffer.alloc(0) }: Secrets & { body: Buffer | undefined },
): Record<string, string> {
  const id = printable(callId);
  const timestampSec = Math.floor(nowMs() / 1_000);
  return {
    ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
    ...(signing !== undefined && {
      'parley-signature': signBody(signing, body),
      'webhook-id': id,
      'webhook-timestamp': String(timestampSec),
      'webhook-signature': signStandard(signing, { id, timestampSec, body }),
    }),
  };
}

/** Replaces everything except visible ASCII in an id, because other characters would break the header. */
function printable(id: string): string {
  return id.replaceAll(/[^!-~]/g, '_').slice(0, 256);
}

/**
 * Adds the arguments to a URL as parameters: strings as they are, everything else as JSON. Parameters in the declared
 * URL are fixed by the agent, so an argument with the same name is rejected.
 */
function withQuery(raw: string, args: Arguments): { url: string } | { problem: string } {
  if (!URL.canParse(raw)) return { problem: "the tool's `url` is not valid" };
  const url = new URL(raw);
  const fixed = new Set(url.searchParams.keys());
  for (const [name, value] of Object.entries(args)) {
    if (fixed.has(name)) {
      return {
        problem: `the parameter ${JSON.stringify(name.slice(0, 64))} is already set in the tool's \`url\``,
      };
    }
    url.searchParams.append(
      name,
      typeof value === 'string' ? value.toWellFormed() : JSON.stringify(value),
    );
  }
  const tooLong = Buffer.byteLength(url.href) > URL_BYTES_MAX;
  return tooLong
    ? {
        problem: `the arguments are too long: the URL may have at most ${URL_BYTES_MAX / 1024} KiB`,
      }
    : { url: url.href };
}
