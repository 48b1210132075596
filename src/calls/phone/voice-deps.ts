import type { AgentContent } from '../../agents/agent.ts';
import type { ConversationDeps } from '../../conversations/record/conversation-deps.ts';
import type { Logger } from '../../platform/observability/logger.ts';
import type { CallRow } from '../calls.sql.ts';
import type { Lines } from '../lines/lines.ts';
import type { Account } from '../providers/find-account.ts';
import type { TransportOf } from '../transports/transport.ts';
import type { AuthenticateDeps, SentTo } from './authenticate.ts';

export type VoiceDeps = ConversationDeps &
  AuthenticateDeps & {
    lines: Pick<Lines, 'offer'>;
    transportOf: TransportOf;
    /** Wakes the process that holds the line of this call (uuid). Does not wait. */
    wakeLine: (callId: string) => void;
    /** Whether an agent of the namespace transcribes and speaks by its own ModelProviders. */
    hasOwnSpeech: (namespace: string, content: AgentContent) => Promise<boolean>;
    log: Logger;
  };

/** A request with the parameters of its address. */
export type SentOfCall = SentTo & {
  callId: string | undefined;
  /** Number of the socket that has closed, from 1. Only for carriers that do not report how a socket ended. */
  stream: number | undefined;
  /** Number of transfers before the socket that has closed was opened. */
  after: number;
  /** Number of the transfer that the request is about, if any. */
  transfer: number | undefined;
};

/** A signed request about a known call. */
export type OfCall = { call: CallRow; account: Account; sent: SentOfCall };
