import { newUuid } from '../../../../src/ids.ts';
import type { AgentContent } from '../../../../src/agents/agent.ts';
import type { KnowledgeHit } from '../../../../src/knowledge/passages/search-passages.ts';
import type {
  Model,
  ModelReply,
  ModelRequest,
  ModelToolCall,
} from '../../../../src/models/model.ts';
import type { LiveConversation } from '../../../../src/conversations/record/conversations.sql.ts';
import { EMPTY_TALLY, type Tally } from '../../../../src/conversations/record/tally.ts';
import type { TurnRow } from '../../../../src/conversations/record/turns.sql.ts';
import type {
  MakeToolBox,
  Speaker,
  ToolOutcome,
} from '../../../../src/conversations/tools/tool.ts';
import { createExtractiveResponder } from '../../../../src/conversations/turns/extractive-responder.ts';
import { createModelResponder } from '../../../../src/conversations/turns/model-responder.ts';
import { readUserTurn } from '../../../../src/conversations/turns/read-user-turn.ts';
import type { Reply, ToolTurn } from '../../../../src/conversations/turns/responder.ts';

/** A turn with a model of the test's own, tools of the test's own, and no database. */

export type Script = (request: ModelRequest, step: number) => Answer | Promise<Answer>;
export type Answer = Partial<ModelReply> | string;

export const PRICE = { amount: 0.001, currency: 'USD' };

export function modelOf(script: Script): { model: Model; asked: ModelRequest[] } {
  const asked: ModelRequest[] = [];
  const model: Model = async (request) => {
    asked.push(request);
    const answer = await script(request, asked.length);
    const given = typeof answer === 'string' ? { text: answer } : answer;
    for (const part of given.text?.match(/.{1,5}/gs) ?? []) request.onText(part);
    return {
      text: '',
      toolCalls: [],
      finishReason: (given.toolCalls?.length ?? 0) > 0 ? 'tool_calls' : 'stop',
      usage: { inputTokens: 100, outputTokens: 10, cachedInputTokens: 50, estimated: false },
      provider: 'stub',
      model: 'm-1',
      cost: PRICE,
      timeToFirstTokenMs: 1,
      durationMs: 2,
      attempts: 1,
      ...given,
    };
  };
  return { model, asked };
}

export function calls(...named: [name: string, args?: unknown, id?: string][]): ModelToolCall[] {
  return named.map(([name, args = {}, id], at) => ({
    id: id ?? `call_${at}`,
    name,
    arguments: typeof args === 'string' ? args : JSON.stringify(args),
  }));
}

export function hit(score: number, text = `scored ${score}`, heading = 'Delivery'): KnowledgeHit {
  const ids = { chunkId: newUuid(), documentId: newUuid(), sourceId: newUuid(), gapId: null };
  return { ...ids, heading, text, score, why: { matched: [], missing: [], likeness: null } };
}

export const WITH_SOURCES: AgentContent = { prompt: 'Help.', knowledge: { sourceNames: ['faq'] } };

export type Tool = (
  args: string,
  signal: AbortSignal,
) => Partial<ToolOutcome> | Promise<Partial<ToolOutcome>>;

export type TurnOptions = {
  script: Script;
  text?: string;
  content?: AgentContent;
  tools?: Record<string, Tool>;
  hits?: (query: string, speaker: Speaker | undefined) => KnowledgeHit[] | Promise<KnowledgeHit[]>;
  tally?: Partial<Tally>;
  history?: TurnRow[];
  notedTools?: ToolTurn[];
  noteTools?: (turns: readonly ToolTurn[]) => Promise<void>;
  signal?: AbortSignal;
  turnTimeoutMs?: number;
  variables?: Record<string, unknown>;
  onToken?: (text: string) => void;
};

export type Played = Reply & {
  asked: ModelRequest[];
  tokens: string;
  noted: ToolTurn[][];
  ran: [tool: string, args: string, id: string][];
};

const ID = newUuid();

/** Plays turns of one conversation: the process keeps what it has counted. */
export async function play(options: TurnOptions): Promise<Played> {
  const { model, asked } = modelOf(options.script);
  const ran: Played['ran'] = [];
  const makeToolBox: MakeToolBox = ({ speaker }) => ({
    tools: Object.keys(options.tools ?? {}).map((name) => ({
      name,
      description: `of ${speaker.agentId}`,
      parameters: {},
    })),
    run: async (call, signal) => {
      const tool = options.tools?.[call.name];
      ran.push([call.name, call.arguments, call.id]);
      const made = tool
        ? await tool(call.arguments, signal)
        : { ok: false, content: 'there is no such tool' };
      return { ok: true, content: 'done', durationMs: 3, ...made };
    },
  });
  const nowMs = () => performance.now();
  const respond = createModelResponder({
    findModel: async () => model,
    makeToolBox,
    nowMs,
    extractive: createExtractiveResponder({ nowMs }),
    ...(options.turnTimeoutMs !== undefined && { turnTimeoutMs: options.turnTimeoutMs }),
  });
  let tokens = '';
  const noted: ToolTurn[][] = [];
  const content = options.content ?? { prompt: 'Help.' };
  const history = options.history ?? [];
  const text = options.text ?? 'How long is delivery?';
  const conversation = {
    id: ID,
    namespace: 'default',
    turnCount: history.length,
    variables: options.variables ?? {},
    tally: { ...EMPTY_TALLY, ...options.tally },
  };
  const reply = await respond({
    content,
    speaker: { agentId: 'first', agentVersion: 1, content },
    noteTools: async (turns) => {
      await options.noteTools?.(turns);
      noted.push([...turns]);
    },
    notedTools: options.notedTools ?? [],
    // All that a responder reads of it.
    conversation: conversation as unknown as LiveConversation,
    text,
    user: readUserTurn(text),
    readHistory: async (limit) => history.slice(-limit),
    search: async (query, _limit, speaker) => options.hits?.(query, speaker) ?? [],
    emitToken: (token) => {
      tokens += token;
      options.onToken?.(token);
    },
    signal: options.signal ?? new AbortController().signal,
  });
  return { ...reply, asked, tokens, noted, ran };
}

export function turn(index: number, role: TurnRow['role'], text: string): TurnRow {
  return {
    index,
    role,
    text,
    startedAtMs: 0,
    endedAtMs: 0,
    interrupted: false,
    toolCall: null,
    toolResult: null,
    retrieval: null,
    latency: null,
    agentId: null,
    agentVersion: null,
    model: null,
    error: null,
    redacted: null,
  };
}
