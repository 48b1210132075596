import { Link } from '@tanstack/react-router';
import type { Escalation } from '../../data/escalations.ts';
import { CopyId } from '../../ui/copy-id.tsx';
import { useConversation } from '../../data/conversations.ts';
import { CustomerLink } from '../customers/customer-link.tsx';

/** Shows the agent's note for the person: why it escalated, what happened so far, and who the user is. */
export function HandOverNote({ escalation }: { escalation: Escalation }) {
  const { conversation_id: conversationId, summary } = escalation;
  const { data: conversation } = useConversation(conversationId);
  return (
    <section className="escalation-note stack-small" aria-label="Hand-over note">
      <p>{summary === '' ? 'No messages before the escalation.' : summary}</p>
      <p className="small muted row">
        {conversation?.user_id ? (
          <CustomerLink userId={conversation.user_id} />
        ) : (
          <span>No user id</span>
        )}
        <span>{conversation?.channel}</span>
        <Link to={`/conversations/${conversationId}`}>Conversation</Link>
        <CopyId id={conversationId} />
      </p>
    </section>
  );
}
