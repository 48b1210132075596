import { hash } from 'node:crypto';
import { z } from 'zod';
import { AGENT_KIND } from '../../agents/agent.kind.ts';
import { fromAgentSpec, TOOL_SECRETS, toTool, ToolWrite } from '../../agents/rest-agent.ts';
import { parameterProblems, urlProblems } from '../../agents/tools/tool-problems.ts';
import { requireAgent } from '../../agents/write-agent.ts';
import { ApiError } from '../../errors.ts';
import { fromUuid } from '../../ids.ts';
import { findMoved, mustBeSentAgain } from '../../kinds/given-secret.ts';
import type { AddressGuard } from '../../platform/egress/address-guard.ts';
import type { EgressRequest } from '../../platform/egress/client.ts';
import { idParam } from '../../platform/http/fields.ts';
import { route, type Route } from '../../platform/http/route.ts';
import type { Pool } from '../../platform/postgres/pool.ts';
import type { CallPlaces } from './call-places.ts';
import { callWebhook, type CallWebhookDeps } from './call-webhook.ts';
import type { Answer } from './read-answer.ts';
import { answerText } from './tool-box.ts';
import { createReadArguments, type Arguments, type ReadArguments } from './tool-arguments.ts';
import { parametersOf, type Tool } from './tool-defaults.ts';

export type CallToolDeps = CallWebhookDeps & {
  pool: Pool;
  guard: AddressGuard;
  places: CallPlaces;
  /** Monotonic clock in ms. */
  clockMs: () => number;
};

const CallToolBody = z
  .strictObject({
    tool: ToolWrite.describe(
      "The tool, in the format of an agent's `tools`. It does not have to be saved.",
    ),
    arguments: z
      .record(z.string(), z.unknown())
      .meta({ maxProperties: 10_000 })
      .default({})
      .describe('Arguments that the model would provide. They are validated against `parameters`.'),
  })
  .describe('A tool and sample arguments.');

const ToolCallResult = z
  .strictObject({
    ok: z.boolean().describe('Whether the tool responded with a 2xx status and JSON or text.'),
    status: z
      .int()
      .nullable()
      .describe('HTTP status of the response. Null if the service did not respond.'),
    error: z.string().nullable().describe('Why the call failed. Null if it succeeded.'),
    body: z.unknown().describe('Response body, as JSON or text. Null if it cannot be read.'),
    escalate: z
      .string()
      .nullable()
      .describe(
        'Reason why the tool requests a human, from its `parley-escalate` header. Null if there is none.',
      ),
    result: z.string().describe('The text that the model would read.'),
    duration_ms: z.int().describe('Duration of the call in milliseconds.'),
    request: z
      .strictObject({
        method: z.string(),
        url: z.string(),
        headers: z.record(z.string(), z.string()),
        body: z.string().nullable(),
      })
      .nullable()
      .describe(
        'The request that was sent. Headers that contain secrets or signatures are shown as `[hidden]`. Null if none was sent.',
      ),
  })
  .meta({ id: 'ToolCallResult', description: 'Result of a single tool call.' });

/** Serves a single call to a webhook tool, so that its author can try it (contract/tools.md#trying-a-tool). */
export function callToolRoute(deps: CallToolDeps): Route {
  const readArguments = createReadArguments();
  return route({
    method: 'post',
    path: '/v1/agents/{id}/tool_calls',
    operationId: 'callTool',
    tag: 'Agents',
    scope: 'write',
    summary: 'Call a webhook tool once',
    description:
      'Sends the request that a conversation would send, but with the header `parley-test: true` instead of ' +
      'the headers about the conversation. The service performs the real action. If the tool fails, the ' +
      'response is 200 with `ok: false`.',
    params: { id: idParam('agt', 'agent') },
    body: { schema: CallToolBody, membersMax: 12_000 },
    answers: { 200: { description: 'Result of the call.', schema: ToolCallResult } },
    errors: ['unsupported_type', 'too_many_in_flight'],
    handle: async ({ caller: { namespace }, params: { id: agentId }, body, untilGone, plan }) => {
      const { spec } = await requireAgent(deps, { namespace, id: agentId });
      refuseElsewhere(body.tool, { id: agentId, saved: fromAgentSpec(spec).tools });
      const tool = await requireCallable(deps, body.tool);
      const args = requireArguments(readArguments, { namespace, agentId }, tool, body.arguments);
      const callId = fromUuid('tool', plan.id);
      const { secret: bearer, signing_secret: signing } = body.tool;
      const given = { ...(bearer && { bearer }), ...(signing && { signing }) };
      const call = { tool, given, args, callId, namespace, agentId, signal: untilGone() };
      return { status: 200, body: await callOnce(deps, call) };
    },
  });
}

/**
 * Rejects a request that would send a stored secret to an address other than that of the saved tool.
 * @throws ApiError invalid_body
 */
function refuseElsewhere(
  tool: ToolWrite,
  { id, saved = [] }: { id: string; saved: readonly object[] | undefined },
): void {
  const of = { secrets: TOOL_SECRETS, names: AGENT_KIND, id, kept: [] };
  const moved = findMoved(of, { before: { tools: saved }, after: { tools: [tool] } });
  if (!moved) return;
  const { field, sentTo } = moved.secret;
  throw invalid(`/tool/${field}`, 'required', `\`${field}\` ${mustBeSentAgain(sentTo[0])}`);
}

/** @throws ApiError unsupported_type; invalid_body for a URL or a schema that is not allowed in agents */
async function requireCallable({ guard }: CallToolDeps, write: ToolWrite): Promise<Tool> {
  const tool = toTool(write);
  if (tool.type !== 'webhook') {
    const detail = `A tool of type \`${tool.type}\` works only inside a conversation. Try it in a test conversation.`;
    throw new ApiError('unsupported_type', detail);
  }
  if (tool.url === undefined) {
    throw invalid('/tool/url', 'required', 'a tool of type `webhook` must have a `url`');
  }
  const [wrongUrl] = urlProblems([tool], guard);
  if (wrongUrl) throw invalid('/tool/url', 'invalid_url', wrongUrl.detail);
  const [wrong] = await parameterProblems([tool]);
  if (wrong)
    throw invalid(`/tool${wrong.pointer.slice('/0'.length)}`, 'invalid_value', wrong.detail);
  return tool;
}

/** @throws ApiError invalid_body */
function requireArguments(
  read: ReadArguments,
  of: { namespace: string; agentId: string },
  tool: Tool,
  given: Arguments,
): Arguments {
  const parameters = parametersOf(tool);
  // The cache of compiled schemas is keyed by the schema's hash here, not by an agent version: an unsaved schema has no
  // version, and a changed schema must be compiled again.
  const name = hash('sha256', JSON.stringify(parameters), 'base64url');
  const found = read({ ...of, agentVersion: 0, name }, parameters, JSON.stringify(given));
  if ('problem' in found) throw invalid('/arguments', 'invalid_value', found.problem);
  return found.value;
}

function invalid(pointer: string, code: string, detail: string): ApiError {
  return new ApiError('invalid_body', detail, { errors: [{ pointer, code, detail }] });
}

type Once = Omit<Parameters<typeof callWebhook>[1], 'conversation'>;

async function callOnce(deps: CallToolDeps, call: Once): Promise<z.output<typeof ToolCallResult>> {
  const release = deps.places.take(call.namespace);
  if (!release) {
    const detail = 'The namespace has too many tool calls in progress. Retry in 2 seconds.';
    throw new ApiError('too_many_in_flight', detail, { retryAfterSec: 2 });
  }
  let sent: SentRequest | undefined;
  const send: CallToolDeps['send'] = (request) => {
    sent = request;
    return deps.send(request);
  };
  const startedMs = deps.clockMs();
  try {
    const answer = await callWebhook({ ...deps, send }, { ...call, conversation: null });
    const durationMs = Math.round(deps.clockMs() - startedMs);
    return { ...answerView(answer), duration_ms: durationMs, request: requestView(sent) };
  } finally {
    release();
  }
}

type SentRequest = Pick<EgressRequest, 'url' | 'method' | 'headers' | 'body'>;

function answerView(answer: Answer) {
  const { ok, status = null, body = null, escalate = null } = answer;
  const error = answer.ok ? null : answer.error;
  return { ok, status, error, body, escalate, result: answerText(answer) };
}

/** Headers that contain or are derived from a secret. Signatures are hidden because they could be replayed. */
const HIDDEN = new Set(['authorization', 'parley-signature', 'webhook-signature']);

function requestView(sent: SentRequest | undefined) {
  if (!sent) return null;
  const { method, url, headers, body } = sent;
  const shown = Object.entries(headers).map(
    ([name, value]) => [name, HIDDEN.has(name) ? '[hidden]' : value] as const,
  );
  return { method, url, headers: Object.fromEntries(shown), body: body?.toString() ?? null };
}
