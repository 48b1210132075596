import { Link } from '@tanstack/react-router';
import type { Escalation } from '../../data/escalations.ts';
import { useAgentNames } from '../../data/names.ts';
import { CopyId } from '../../ui/copy-id.tsx';
import { useConversation } from '../../data/conversations.ts';
import { CustomerLink } from '../customers/customer-link.tsx';

/** Shows the agent's note for the human agent: why it escalated, what happened so far, and who the user is. */
export function HandOverNote({ escalation }: { escalation: Escalation }) {
  const { conversation_id: conversationId, summary } = escalation;
  const { data: conversation } = useConversation(conversationId);
  const names = useAgentNames();
  return (
    <section className="escalation-note stack-small" aria-label="Hand-over note">
      <p>{summary === '' ? 'No messages before the escalation.' : summary}</p>
      <p className="small muted row">
        {escalation.user_id === null ? (
          <span>No user ID</span>
        ) : (
          <CustomerLink userId={escalation.user_id} />
        )}
        <span>{names.get(escalation.agent_id)}</span>
        <span>{conversation?.channel.replaceAll('_', ' ')}</span>
        <Link to={`/conversations/${conversationId}`}>Conversation</Link>
        <CopyId id={conversationId} />
      </p>
    </section>
  );
}
