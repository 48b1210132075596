import type { AgentContent } from '../../../src/agents/agent.ts';
import type { LiveConversation } from '../../../src/conversations/record/conversations.sql.ts';
import { createCallPlaces } from '../../../src/conversations/tools/call-places.ts';
import { createMakeToolBox, type ToolBoxDeps } from '../../../src/conversations/tools/tool-box.ts';
import type { ToolBox, ToolOutcome } from '../../../src/conversations/tools/tool.ts';
import type { KnowledgeHit } from '../../../src/knowledge/passages/search-passages.ts';
import { newUuid } from '../../../src/ids.ts';
import { createClient } from '../../platform/egress/harness.ts';

export const CONVERSATION_ID = newUuid();
export const AGENT_ID = newUuid();

export type Tool = NonNullable<AgentContent['tools']>[number];

/** What a test of tools is given: no more of a conversation than tools look at. */
export function boxOf(
  tools: readonly Tool[],
  more: {
    deps?: Partial<ToolBoxDeps>;
    namespace?: string;
    agentId?: string;
    agentVersion?: number;
    startedAt?: number;
    knowledge?: AgentContent['knowledge'];
    search?: (query: string, limit: number) => Promise<KnowledgeHit[]>;
    errors?: unknown[];
  } = {},
): ToolBox {
  const { namespace = 'default', knowledge, search = async () => [], errors = [] } = more;
  const make = createMakeToolBox({
    send: createClient({ bodyGraceMs: 60_000 }).send,
    userAgent: 'parley/test',
    findSecrets: async (_, refs) => refs.map(() => undefined),
    nowMs: Date.now,
    findTarget: async () => undefined,
    places: createCallPlaces(),
    clockMs: () => performance.now(),
    log: { error: (line: unknown) => void errors.push(line) },
    ...more.deps,
  });
  const { startedAt = Date.now() } = more;
  const conversation = { id: CONVERSATION_ID, namespace, startedAt } as LiveConversation;
  const content: AgentContent = { tools: [...tools], ...(knowledge && { knowledge }) };
  const speaker = {
    agentId: more.agentId ?? AGENT_ID,
    agentVersion: more.agentVersion ?? 3,
    content,
  };
  return make({ conversation, speaker, search });
}

export async function run(
  box: ToolBox,
  args: unknown = {},
  { name = 'act', signal = new AbortController().signal, id = 'call_1' } = {},
): Promise<ToolOutcome & { said: Record<string, unknown> }> {
  const text = typeof args === 'string' ? args : JSON.stringify(args);
  const outcome = await box.run({ id, name, arguments: text }, signal);
  return { ...outcome, said: JSON.parse(outcome.content) as Record<string, unknown> };
}
