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
    /** Whether an agent of the namespace hears and speaks by providers of ours. */
    hasOwnSpeech: (namespace: string, content: AgentContent) => Promise<boolean>;
    log: Logger;
  };

/** With what the address names. */
export type SentOfCall = SentTo & {
  /** uuid */
  callId: string | undefined;
  /** Once a socket is over of which the carrier does not say how it ended: which one of the call it was, from 1. */
  stream: number | undefined;
  /** How many times the call had been transferred when the socket was asked for that is over. */
  after: number;
  /** Which transfer of the call it is about; undefined: none. */
  transfer: number | undefined;
};

/** What is asked of a call that we know, signed. */
export type OfCall = { call: CallRow; account: Account; sent: SentOfCall };
