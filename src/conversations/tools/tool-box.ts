import type { HandoffTarget, readHandoffTarget } from '../../agents/tools/handoffs.sql.ts';
import { DEFAULT_MIN_SCORE, DEFAULT_TOP_K } from '../../knowledge/search-knowledge.ts';
import { hitIds } from '../../knowledge/passages/search-passages.ts';
import type { ModelToolCall } from '../../models/model.ts';
import type { Logger } from '../../platform/observability/logger.ts';
import { closedMessage } from '../escalations/opening-hours.ts';
import { callWebhook, type CallWebhookDeps } from './call-webhook.ts';
import type { CallPlaces } from './call-places.ts';
import type { Answer } from './read-answer.ts';
import { createReadArguments, type Arguments } from './tool-arguments.ts';
import { describeTool, parametersOf, type Tool } from './tool-defaults.ts';
import type { MakeToolBox, ToolOutcome } from './tool.ts';

export type ToolBoxDeps = CallWebhookDeps & {
  places: CallPlaces;
  findTarget: FindHandoffTarget;
  /** Monotonic clock in ms. */
  clockMs: () => number;
  log: Pick<Logger, 'error'>;
};

/** Returns the target of a handoff, or undefined if the agent does not exist or was deleted. */
export type FindHandoffTarget = (
  from: Parameters<typeof readHandoffTarget>[1],
) => Promise<HandoffTarget | undefined>;

type Turn = Parameters<MakeToolBox>[0];
type Result = Omit<ToolOutcome, 'durationMs'>;
type Call = { tool: Tool; args: Arguments; callId: string; signal: AbortSignal };

/** Creates the tools of agents (contract/tools.md). Create it once per process, because it caches compiled schemas. */
export function createMakeToolBox(deps: ToolBoxDeps): MakeToolBox {
  const readArguments = createReadArguments();

  const attempt = async (turn: Turn, call: ModelToolCall, signal: AbortSignal): Promise<Result> => {
    const { speaker, conversation } = turn;
    const tool = (speaker.content.tools ?? []).find(({ name }) => name === call.name);
    if (!tool) return failed(`there is no tool ${JSON.stringify(call.name.slice(0, 64))}`);
    const { agentId, agentVersion } = speaker;
    const of = { namespace: conversation.namespace, agentId, agentVersion, name: tool.name };
    const read = readArguments(of, parametersOf(tool), call.arguments);
    if ('problem' in read) return failed(`wrong arguments: ${read.problem}`);
    if (signal.aborted) return failed('the call was canceled');
    return RUN[tool.type](deps, turn, { tool, args: read.value, callId: call.id, signal });
  };

  return (turn) => ({
    tools: (turn.speaker.content.tools ?? []).map(describeTool),
    run: async (call, signal) => {
      const startedMs = deps.clockMs();
      const result = await attempt(turn, call, signal).catch((error: unknown) => {
        deps.log.error({ err: error, tool: call.name.slice(0, 64) }, 'running a tool failed');
        return failed('the tool failed because of an internal error');
      });
      return { ...result, durationMs: Math.round(deps.clockMs() - startedMs) };
    },
  });
}

type Run = (deps: ToolBoxDeps, turn: Turn, call: Call) => Result | Promise<Result>;

const RUN: Record<Tool['type'], Run> = {
  webhook: runWebhook,
  knowledge_search: runSearch,
  handoff: runHandoff,
  end_call: () => ({
    ok: true,
    content: resultText({ ok: true, note: 'the conversation ends after your reply' }),
    effect: { type: 'end_call' },
  }),
  transfer_call: (_, turn, { args }) => {
    const closed = closedOf(turn);
    if (closed !== undefined) return failed(`${NOBODY}: ${closed}`);
    return {
      ok: true,
      content: resultText({ ok: true, note: 'a human is requested to take over after your reply' }),
      effect: { type: 'transfer_call', reason: reasonOf(args) },
    };
  },
};

const NOBODY = 'no human is available to take over; tell the user';

/** Returns the message for users outside the speaking agent's opening hours, or undefined during these hours. */
function closedOf({ speaker, conversation: { startedAt, ageMs } }: Turn): string | undefined {
  return closedMessage(speaker.content, startedAt + ageMs);
}

function reasonOf({ reason }: Arguments): string {
  const given = typeof reason === 'string' ? reason.replaceAll('\0', '').toWellFormed().trim() : '';
  return given === '' ? 'transfer_call' : given.slice(0, 256).toWellFormed();
}

async function runWebhook(deps: ToolBoxDeps, turn: Turn, call: Call): Promise<Result> {
  const { conversation, speaker } = turn;
  const release = deps.places.take(conversation.namespace);
  if (!release) return failed('too many tool calls are in progress; try again later');
  try {
    const { agentId, agentVersion } = speaker;
    const { id, namespace } = conversation;
    const of = { namespace, agentId, conversation: { id, agentVersion } };
    const answer = await callWebhook(deps, { ...call, ...of });
    const { ok, escalate } = answer;
    if (!escalate) return { ok, content: answerText(answer) };
    const closed = closedOf(turn);
    if (closed !== undefined) {
      const note = `the tool requested a human, but ${NOBODY}: ${closed}`;
      return { ok, content: answerText(answer, { note }) };
    }
    const effect = { type: 'transfer_call', reason: escalate } as const;
    return { ok, content: answerText(answer), effect };
  } finally {
    release();
  }
}

/** Returns the response of a webhook as text for the model, with the additional fields in `more`. */
export function answerText(answer: Answer, more: Record<string, unknown> = {}): string {
  const { body, escalate: _, ...fields } = answer;
  const long = body === undefined ? undefined : { name: 'body', value: body };
  return resultText({ ...fields, ...more }, long);
}

/**
 * Searches the agent's sources, with the same `top_k` and `min_score` as for its answers
 * (contract/agents.md#knowledge).
 */
async function runSearch(_: ToolBoxDeps, turn: Turn, { args }: Call): Promise<Result> {
  const { topK = DEFAULT_TOP_K, minScore = DEFAULT_MIN_SCORE } =
    turn.speaker.content.knowledge ?? {};
  const { query } = args;
  if (typeof query !== 'string') return failed('wrong arguments: `query` must be a string');
  const hits = await turn.search(query, topK);
  const good = hits.filter(({ score }) => score >= minScore);
  const passages = good.map((hit) => ({
    id: hitIds(hit).chunk_id,
    heading: hit.heading,
    text: hit.text,
  }));
  const content = resultText({ ok: true }, { name: 'passages', value: passages });
  return { ok: true, content, hits };
}

/**
 * Hands off to the version of the target that was recorded when the speaker's version went live. Later versions of the
 * target therefore do not change the behavior.
 */
async function runHandoff(deps: ToolBoxDeps, turn: Turn, { tool }: Call): Promise<Result> {
  const { conversation, speaker } = turn;
  const { namespace, startedAt } = conversation;
  const { agentId, agentVersion } = speaker;
  const { name, agent = '', version } = tool;
  const from = { namespace, agentId, agentVersion, tool: { name, agent, version }, startedAt };
  const target = await deps.findTarget(from);
  if (!target) return failed(`the agent ${tool.agent} no longer exists`);
  const { content, ...to } = target;
  if (content === null) {
    const why =
      tool.version === undefined ? 'it was never published' : `it has no version ${tool.version}`;
    return failed(`the agent ${tool.agent} cannot take over: ${why}`);
  }
  const note = `the agent ${tool.agent} continues the conversation in your place`;
  const effect = { type: 'handoff', speaker: { ...to, content } } as const;
  return { ok: true, content: resultText({ ok: true, note }), effect };
}

function failed(error: string): Result {
  return { ok: false, content: failureText(error) };
}

/** Maximum length of a result in UTF-8 (contract/tools.md#results). */
const BYTES_MAX = 32 * 1024;

/**
 * Returns the text of a tool result, as the model reads it and the transcript shows it: one line of JSON with `ok` and
 * the other fields. External data appears only as a JSON value, so it can neither pass for Parley's own text nor start
 * a line. U+0000 and lone surrogates, which PostgreSQL cannot store, are escaped. If the text is too long, `long` is
 * truncated and becomes a string, because truncated JSON would be invalid. The field `cut` then reports the original
 * length.
 */
export function resultText(
  fields: Record<string, unknown>,
  long?: { name: string; value: unknown },
): string {
  if (!long) return quoted(fields);
  const whole = quoted({ ...fields, [long.name]: long.value });
  if (Buffer.byteLength(whole) <= BYTES_MAX) return whole;
  const text = typeof long.value === 'string' ? long.value : JSON.stringify(long.value);
  const cut = `only the beginning: ${long.name} has at least ${Buffer.byteLength(text)} bytes`;
  // Shortens the text until the result fits. Starts with `BYTES_MAX` characters, because most characters take one byte,
  // although an escaped one takes up to six.
  for (let chars = BYTES_MAX; ; chars = Math.floor(chars * 0.8)) {
    const short = quoted({ ...fields, cut, [long.name]: text.slice(0, chars) });
    if (Buffer.byteLength(short) <= BYTES_MAX) return short;
  }
}

export function failureText(error: string, more: Record<string, unknown> = {}): string {
  return resultText({ ok: false, error: error.slice(0, 2_000), ...more });
}

/**
 * Escapes `<`, because some servers would interpret the markers of model templates, such as `<|im_end|>` or
 * `</tool_response>`.
 */
function quoted(value: Record<string, unknown>): string {
  return JSON.stringify(value).replaceAll('<', String.raw`\u003c`);
}
