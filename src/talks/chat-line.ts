import type { ConversationDeps } from '../conversations/record/conversation-deps.ts';
import { endConversation } from '../conversations/ending/end-conversation.ts';
import { readForTurn } from '../conversations/record/conversations.sql.ts';
import { startConversation } from '../conversations/record/start-conversation.ts';
import { createPlayout } from '../voice/playout/playout.ts';
import { createSilentOutput } from '../voice/playout/text-output.ts';
import { startAgentSession, type AgentSessionDeps } from '../voice/session/agent-session.ts';
import { found } from '../errors.ts';
import type { OpenedTalk, TalkToOpen } from './opened-talk.ts';
import { sealResume } from './talk-token.ts';
import type { TalkWindows } from './talk-windows.ts';
import { fromUuid } from '../ids.ts';
import type { Sealer } from '../platform/postgres/sealing.ts';

export type ChatDeps = AgentSessionDeps &
  ConversationDeps & { sealer: Pick<Sealer, 'seal'>; windows: TalkWindows };

/**
 * Opens a chat from a web page: a conversation on the `chat` channel. Up to five browser windows can show it at the
 * same time. After the last window closes, the silence timeout ends the chat.
 * @throws ApiError not_found
 */
export async function openChat(deps: ChatDeps, talk: TalkToOpen): Promise<OpenedTalk> {
  const { admitted, captions, send, finish, leave } = talk;
  const { by, namespace, agentId, userId, variables, metadata } = admitted.token;
  const { version, test, origin } = admitted.token;
  const about = { namespace, agentId, userId, variables, metadata, test, channel: 'chat' as const };
  const id =
    admitted.resume?.conversationId ??
    (await startConversation(deps, { ...about, version: version ?? undefined })).id;
  const { conversation, content } = found(
    await readForTurn(deps.pool, { namespace, id }),
    'conversation',
  );
  const output = createSilentOutput({
    aside: (text) => send({ type: 'text', text: `${text} ` }),
  });
  const closeWindow = deps.windows.add(id, leave);
  // `TalkCaptions` already sends all stored turns to the page, so the session must not send these turns again.
  const saidTo = conversation.turnCount - 1;
  const language = content?.language;
  const held = startAgentSession(deps, {
    namespace,
    conversationId: id,
    language,
    playout: createPlayout(output),
    saidTo,
    captions,
  });
  void held.over.then(() => finish(id));
  const of = { by, namespace, agentId, origin, userId, test, mode: 'chat' as const };
  captions.ready({
    type: 'ready',
    conversation_id: fromUuid('conv', id),
    resume: sealResume(deps.sealer, { ...of, conversationId: id, callId: null }),
    mode: 'chat',
  });
  return {
    write: (text) => held.on({ type: 'written', text }),
    hear: undefined,
    played: () => undefined,
    end: async () => {
      await endConversation(deps, { namespace, id, reason: 'user_hangup' });
    },
    closed: async () => {
      closeWindow();
      held.leave();
    },
  };
}
