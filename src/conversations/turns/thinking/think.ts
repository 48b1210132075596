import { epochMs } from '../../../clock.ts';
import {
  ModelError,
  type FindModel,
  type Model,
  type ModelMessage,
  type ModelReply,
} from '../../../models/model.ts';
import type { KnowledgeHit } from '../../../knowledge/passages/search-passages.ts';
import { hasSources } from '../../../knowledge/search-knowledge.ts';
import type { TurnError } from '../../record/turns.sql.ts';
import type { MakeToolBox, Speaker, ToolBox, ToolEffect, ToolOutcome } from '../../tools/tool.ts';
import { isGood, lookUp, type Found } from '../look-up.ts';
import type { ResponderRequest } from '../responder.ts';
import { turnsToRead, type MakeHistory } from './history.ts';
import { orAborted } from './or-aborted.ts';
import { ANSWER_NOW, NOTHING_FOUND, passagesMessage, SPEAK_FIRST, systemPrompt } from './prompt.ts';
import {
  runCalls,
  beginCalls,
  byRequest,
  messagesOf,
  notedCalls,
  toolTurnOf,
  type Call,
} from './tool-turns.ts';

/** Maximum number of requests to the model per turn. In the last request, the model may not call tools. */
export const STEPS_MAX = 8;
/** Maximum time in ms that an aborted request may take to return its partial result, which includes the usage. */
const GRACE_MS = 12;

export type ThinkDeps = {
  findModel: FindModel;
  makeToolBox: MakeToolBox;
  makeHistory: MakeHistory;
  /** Monotonic clock in ms. */
  nowMs: () => number;
};

/**
 * Intermediate result of a turn. It is filled step by step, so that a partial result is available if the turn is
 * aborted.
 */
export type Thought = {
  text: string;
  speaker: Speaker;
  replies: ModelReply[];
  /** Tool calls of this turn. The calls of an earlier attempt that was killed come first. */
  calls: Call[];
  failuresInRow: number;
  /** Whether a tool has contributed to the answer. The knowledge search and tools with a `ToolEffect` do not count. */
  isHelpedByTool: boolean;
  /** Passages given to the model to answer from, and all passages found, without duplicates. */
  given: KnowledgeHit[];
  found: KnowledgeHit[];
  ends: boolean;
  transfer: { reason: string } | undefined;
  error: TurnError | undefined;
  firstTextMs: number | undefined;
  retrievalMs: number;
  modelMs: number;
  toolsMs: number;
};

type Turn = {
  request: ResponderRequest;
  signal: AbortSignal;
  model: Model;
  box: ToolBox;
  thought: Thought;
  /** Parts of the prompt, in order. `steps` has this turn's tool calls and their results. */
  system: ModelMessage;
  history: readonly ModelMessage[];
  knowledge: readonly ModelMessage[];
  steps: ModelMessage[];
};

export function emptyThought({ speaker, conversation }: ResponderRequest): Thought {
  return {
    text: '',
    speaker,
    replies: [],
    calls: [],
    failuresInRow: conversation.tally.toolFailuresInRow ?? 0,
    isHelpedByTool: false,
    given: [],
    found: [],
    ends: false,
    transfer: undefined,
    error: undefined,
    firstTextMs: undefined,
    retrievalMs: 0,
    modelMs: 0,
    toolsMs: 0,
  };
}

/**
 * Sends requests to the model, and runs the tools that it calls, until it has answered. Fills `thought`. Once this
 * function has returned, `thought` no longer changes, even if `signal` aborts.
 */
export async function think(
  deps: ThinkDeps,
  given: { request: ResponderRequest; signal: AbortSignal; model: Model; thought: Thought },
): Promise<void> {
  const turn = await prepare(deps, given);
  if (!turn) return;
  const { thought } = turn;
  for (let step = 1, isLast = false; ; step += 1) {
    isLast ||= step === STEPS_MAX;
    const reply = await ask(deps, turn, isLast);
    if (!reply || reply.toolCalls.length === 0) return;
    if (isLast) {
      const hasAnswered = reply.text !== '' || thought.ends || thought.transfer !== undefined;
      if (!hasAnswered) thought.error = TOO_MANY_STEPS;
      return;
    }
    if (!(await useTools(deps, turn, reply))) return;
    isLast = thought.ends || thought.transfer !== undefined;
    if (isLast && reply.text !== '') return;
  }
}

const TOO_MANY_STEPS: TurnError = {
  code: 'too_many_steps',
  detail: `The model called tools in ${STEPS_MAX} requests without returning a reply.`,
};

async function prepare(
  deps: ThinkDeps,
  { request, signal, model, thought }: Parameters<typeof think>[1],
): Promise<Turn | undefined> {
  const { speaker, conversation, notedTools } = request;
  const [history, found] = await Promise.all([
    orAborted(readHistory(deps, request), signal),
    search(deps, { request, signal, thought, speaker }),
  ]);
  if (!history || !found) return undefined;
  thought.calls.push(...notedCalls(notedTools, speaker.content));
  return {
    request,
    signal,
    model,
    thought,
    history,
    box: openBox(deps, request, speaker),
    system: systemPrompt(speaker, conversation.variables),
    knowledge: knowledgeOf(found, request, speaker),
    steps: byRequest(thought.calls, ({ message }) => message !== undefined).flatMap((calls) =>
      messagesOf('', calls),
    ),
  };
}

async function readHistory(
  { makeHistory }: ThinkDeps,
  { conversation, readHistory: read }: ResponderRequest,
): Promise<ModelMessage[]> {
  const limit = turnsToRead(conversation.turnCount);
  return limit === 0 ? [] : makeHistory(conversation.id, await read(limit));
}

/** Searches the speaker's knowledge. Returns undefined if the signal aborts first. */
async function search(
  { nowMs }: ThinkDeps,
  of: { request: ResponderRequest; signal: AbortSignal; thought: Thought; speaker: Speaker },
): Promise<Found | undefined> {
  const { request, signal, thought, speaker } = of;
  const startedMs = nowMs();
  const found = await orAborted(lookUp(request, speaker), signal);
  thought.retrievalMs += nowMs() - startedMs;
  if (!found) return undefined;
  addPassages(thought, found.hits, found.good);
  return found;
}

function addPassages(
  thought: Thought,
  hits: readonly KnowledgeHit[],
  good: readonly KnowledgeHit[],
): void {
  const isNew = (list: readonly KnowledgeHit[]) => (hit: KnowledgeHit) =>
    !list.some(({ chunkId }) => chunkId === hit.chunkId);
  thought.found.push(...hits.filter(isNew(thought.found)));
  thought.given.push(...good.filter(isNew(thought.given)));
}

function knowledgeOf(
  { good }: Found,
  { user }: ResponderRequest,
  { content: { knowledge } }: Speaker,
): ModelMessage[] {
  if (good.length > 0) return [passagesMessage(good)];
  const isAsked = user.question !== '' && !user.isRemark;
  return isAsked && hasSources(knowledge) ? [NOTHING_FOUND] : [];
}

function openBox(
  { makeToolBox }: ThinkDeps,
  { conversation, search: searchIn }: ResponderRequest,
  speaker: Speaker,
): ToolBox {
  const searchOwn = (query: string, limit: number) => searchIn(query, limit, speaker);
  return makeToolBox({ conversation, speaker, search: searchOwn });
}

function promptOf(turn: Turn, isLast: boolean): ModelMessage[] {
  const { system, history, knowledge, steps, request } = turn;
  const said: ModelMessage =
    request.text === '' ? SPEAK_FIRST : { role: 'user', content: request.text };
  return [system, ...history, ...knowledge, said, ...steps, ...(isLast ? [ANSWER_NOW] : [])];
}

/**
 * Sends one request to the model. Returns undefined if the request failed or was aborted; `thought` then has its
 * partial result.
 */
async function ask(deps: ThinkDeps, turn: Turn, isLast: boolean): Promise<ModelReply | undefined> {
  const { signal, thought, box } = turn;
  const startedMs = deps.nowMs();
  const onText = speak(deps, turn);
  const work = turn.model({
    messages: promptOf(turn, isLast),
    historyEnd: 1 + turn.history.length,
    tools: box.tools,
    ...(isLast && { toolChoice: 'none' }),
    signal,
    onText: onText.hear,
    onTakeBack: onText.takeBack,
  });
  try {
    const reply = await orAborted(work, signal, GRACE_MS);
    if (!reply) return undefined;
    thought.replies.push(reply);
    if (!onText.hasHeard() && !signal.aborted) onText.hear(reply.text);
    return signal.aborted || reply.finishReason === 'interrupted' ? undefined : reply;
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    if (error.partial) thought.replies.push(error.partial);
    if (!signal.aborted) thought.error = { code: error.code, detail: error.message };
    return undefined;
  } finally {
    onText.stop();
    thought.modelMs += deps.nowMs() - startedMs;
  }
}

/**
 * Emits the model's text as it arrives. If the model has already written text before its tool calls, emits a separator
 * first.
 */
function speak(
  { nowMs }: ThinkDeps,
  { request, signal, thought }: Turn,
): {
  hear: (text: string) => void;
  takeBack: () => void;
  hasHeard: () => boolean;
  stop: () => void;
} {
  const before = thought.text;
  const separator = before === '' ? '' : '\n\n';
  let between = separator;
  let isHeard = false;
  let isOver = false;
  return {
    hear: (text) => {
      if (text === '' || isOver || signal.aborted) return;
      isHeard = true;
      thought.firstTextMs ??= nowMs();
      thought.text += between + text;
      request.emitToken(between + text);
      between = '';
    },
    takeBack: () => {
      if (isOver || signal.aborted) return;
      isHeard = false;
      between = separator;
      thought.text = before;
      request.keepTokens?.(before);
    },
    hasHeard: () => isHeard,
    stop: () => {
      isOver = true;
    },
  };
}

/** Runs the tools that the model calls. Returns false if the turn has ended in the meantime. */
async function useTools(deps: ThinkDeps, turn: Turn, reply: ModelReply): Promise<boolean> {
  const { signal, thought, request, box } = turn;
  const calls = beginCalls(reply, thought.calls, epochMs());
  const turnsWith = (more: readonly Call[]) => [
    ...request.notedTools,
    ...[...thought.calls, ...more].filter(({ id }) => !isNoted(request, id)).map(toolTurnOf),
  ];
  // A call must be recorded before it is made.
  const isNoting = await orAborted(
    request.noteTools(turnsWith(calls)).then(() => true),
    signal,
  );
  if (!isNoting || signal.aborted) return false;
  const startedMs = deps.nowMs();
  const noted = notedCalls(request.notedTools, request.speaker.content);
  const outcomes = await runCalls(calls, { box, signal, noted, graceMs: GRACE_MS });
  thought.toolsMs += deps.nowMs() - startedMs;
  thought.calls.push(...calls);
  count(thought, outcomes);
  turn.steps.push(...messagesOf(reply.text, calls));
  await orAborted(request.noteTools(turnsWith([])), signal);
  if (signal.aborted) return false;
  const handoff = outcomes.map(({ effect }) => effect).find((one) => one?.type === 'handoff');
  return handoff ? handOff(deps, turn, handoff) : true;
}

export function isNoted({ notedTools }: ResponderRequest, id: string): boolean {
  return notedTools.some(({ toolCall }) => toolCall?.['id'] === id);
}

function count(thought: Thought, outcomes: readonly ToolOutcome[]): void {
  const { content } = thought.speaker;
  for (const { ok, hits, effect } of outcomes) {
    thought.failuresInRow = ok ? 0 : thought.failuresInRow + 1;
    if (hits) {
      const good = hits.filter((hit) => isGood(hit, content));
      addPassages(thought, hits, good);
    } else if (ok && !effect) thought.isHelpedByTool = true;
    if (effect?.type === 'end_call') thought.ends = true;
    if (effect?.type === 'transfer_call') thought.transfer ??= { reason: effect.reason };
  }
}

/** Makes another agent the speaker, with its own prompt, model, tools and knowledge. */
async function handOff(
  deps: ThinkDeps,
  turn: Turn,
  { speaker }: Extract<ToolEffect, { type: 'handoff' }>,
): Promise<boolean> {
  const { request, signal, thought } = turn;
  const { namespace, variables } = request.conversation;
  const [model, found] = await Promise.all([
    orAborted(deps.findModel({ namespace, model: speaker.content.model }), signal),
    search(deps, { request, signal, thought, speaker }),
  ]);
  if (!found || signal.aborted) return false;
  thought.speaker = speaker;
  turn.model = model ?? turn.model; // An agent without a model of its own uses the current model.
  turn.box = openBox(deps, request, speaker);
  turn.system = systemPrompt(speaker, variables);
  turn.knowledge = knowledgeOf(found, request, speaker);
  return true;
}
