import { createTalkLimits } from '../../../talks/talk-limits.ts';
import { talkSocket } from '../../../talks/talk-socket.ts';
import { talkTokenRoute } from '../../../talks/talk-tokens.routes.ts';
import { widgetTokenRoute } from '../../../talks/widget-tokens.routes.ts';
import type { Infrastructure } from '../infrastructure.ts';
import type { Calls } from './calls.ts';
import type { Conversing } from './conversations.ts';
import type { Module } from './module.ts';

/** Creates the module for the website widget: the tokens of its visitors, and its socket. */
export function createTalks(
  { pool, sealer, nowMs, baseUrl }: Infrastructure,
  ports: {
    conversing: Conversing;
    calls: Pick<Calls, 'lines' | 'speech' | 'hasOwnSpeech' | 'onTimes'>;
  },
): Module {
  const { lines, speech, hasOwnSpeech, onTimes } = ports.calls;
  const limits = createTalkLimits();
  const tokens = { pool, sealer, nowMs, baseUrl, hasOwnSpeech, talkLimits: limits };
  return {
    routes: [talkTokenRoute(tokens), widgetTokenRoute(tokens)],
    sockets: [talkSocket({ ...ports.conversing, lines, speech, hasOwnSpeech, onTimes, limits })],
  };
}
