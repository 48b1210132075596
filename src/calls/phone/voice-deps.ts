import type { AgentContent } from '../../agents/agent.ts';
import type { ConversationDeps } from '../../conversations/record/conversation-deps.ts';
import type { Logger } from '../../platform/observability/logger.ts';
import type { CallRow } from '../calls.sql.ts';
import type { Lines } from '../lines/lines.ts';
import type { Account } from '../providers/find-account.ts';
import type { TransportOf } from '../transport.ts';
import type { AuthenticateDeps, SentTo } from './authenticate.ts';

export type VoiceDeps = ConversationDeps &
  AuthenticateDeps & {
    lines: Pick<Lines, 'offer'>;
    transportOf: TransportOf;
    /**
     * Notifies the process that owns the call's line that requests are pending. Takes the call's UUID. Does not wait.
     */
    wakeLine: (callId: string) => void;
    /** Returns whether the agent has its own ModelProviders for transcription and speech. */
    hasOwnSpeech: (namespace: string, content: AgentContent) => Promise<boolean>;
    log: Logger;
  };

/** A carrier's request, with the parameters of its URL. */
export type SentOfCall = SentTo & {
  callId: string | undefined;
  /**
   * Number of the socket that has closed, starting at 1. It is used only for carriers that do not report how a socket
   * ended.
   */
  stream: number | undefined;
  /** Number of transfers before the closed socket was opened. */
  after: number;
  /** Number of the transfer that the request belongs to. Undefined if it does not belong to a transfer. */
  transfer: number | undefined;
};

/** A request about a known call, with a valid signature. */
export type OfCall = { call: CallRow; account: Account; sent: SentOfCall };
