import { z } from 'zod';
import type { AgentContent } from '../agents/agent.ts';
import type { AgentRow } from '../agents/agents.sql.ts';
import { ApiError } from '../errors.ts';
import { fromUuid } from '../ids.ts';
import { unixTime } from '../platform/http/fields.ts';
import type { Sealer } from '../platform/postgres/sealing.ts';
import { MODES, TALK_PATH } from './talk-frames.ts';
import { sealTalkToken, type TalkToken } from './talk-token.ts';

export const TalkTokenAnswer = z
  .strictObject({
    token: z.string().meta({
      description: 'The token, `talk_…`. The page sends it in the first frame on the socket.',
    }),
    expires_at: unixTime,
    socket_url: z.string().meta({ description: 'Address of the WebSocket (ws:// or wss://).' }),
    agent: z.strictObject({
      id: z.string(),
      display_name: z.string().nullable(),
      language: z.string().nullable(),
    }),
    modes: z.array(z.enum(MODES)).meta({
      description:
        "Contains `voice` if ModelProviders handle the agent's speech recognition and synthesis.",
    }),
  })
  .meta({
    id: 'TalkToken',
    description: 'Token and WebSocket address that a web page uses to open talks with an agent.',
  });

export type MakeTokenDeps = {
  sealer: Pick<Sealer, 'seal'>;
  nowMs: () => number;
  baseUrl: () => string;
  hasOwnSpeech: (namespace: string, content: AgentContent) => Promise<boolean>;
};

/** Maximum length of a token in characters. A token must fit into the first frame that a page sends. */
const TOKEN_MAX = 32_768;

/**
 * Creates a token that is valid for `ttlSec`.
 * @throws ApiError invalid_body
 */
export async function makeTalkToken(
  { sealer, nowMs, baseUrl, hasOwnSpeech }: MakeTokenDeps,
  { row, content }: { row: AgentRow; content: AgentContent },
  {
    ttlSec,
    ...allowed
  }: Omit<TalkToken, 'expiresAt' | 'namespace' | 'agentId'> & { ttlSec: number },
): Promise<z.output<typeof TalkTokenAnswer>> {
  const { id: agentId, namespace, spec } = row;
  const expiresAt = Math.floor(nowMs() / 1_000) + ttlSec;
  const token = sealTalkToken(sealer, { ...allowed, namespace, agentId, expiresAt });
  if (token.length > TOKEN_MAX) {
    const detail = `The token would be ${token.length} characters long, but the maximum is ${TOKEN_MAX}. Send fewer or shorter variables.`;
    throw new ApiError('invalid_body', detail, {
      errors: [{ pointer: '/variables', code: 'too_big', detail }],
    });
  }
  const isSpoken = await hasOwnSpeech(namespace, content);
  return {
    token,
    expires_at: expiresAt,
    socket_url: `${baseUrl().replace(/^http/, 'ws')}${TALK_PATH}`,
    agent: {
      id: fromUuid('agt', agentId),
      display_name: spec.displayName ?? null,
      language: content.language ?? null,
    },
    modes: isSpoken ? [...MODES] : ['chat'],
  };
}
