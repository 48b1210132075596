import { Link } from '@tanstack/react-router';
import { useAgentNames } from '../data/names.ts';
import { shortId } from './copy-id.tsx';

export function AgentLink({ id }: { id: string }) {
  const names = useAgentNames();
  return (
    <Link to={`/agents/${id}`} title={id}>
      {names.get(id) ?? shortId(id)}
    </Link>
  );
}
