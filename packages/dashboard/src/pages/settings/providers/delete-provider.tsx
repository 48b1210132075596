import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { agentName } from '../../../data/agents.ts';
import { Confirm } from '../../../ui/confirm.tsx';
import { counted } from '../../../ui/figure.tsx';
import { useToast } from '../../../ui/toast.tsx';
import { deleteProvider, useAgentsOf, type TaggedProvider } from './provider-data.ts';

/** Asks for confirmation before a provider is deleted, and lists the agents that use it. */
export function DeleteProvider({
  tagged,
  onClose,
}: {
  tagged: TaggedProvider;
  onClose: () => void;
}) {
  const { name } = tagged.provider;
  const { data: agents } = useAgentsOf(name);
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const toast = useToast();
  return (
    <Confirm
      title={`Delete ${name}`}
      isOpen
      onClose={onClose}
      action="Delete the provider"
      act={async () => {
        await deleteProvider(tagged);
        toast({ text: `Deleted ${name}` });
        await navigate({ to: '/settings/providers' });
        await queryClient.invalidateQueries({ queryKey: ['providers'] });
      }}
    >
      {agents && agents.length > 0 ? (
        <>
          <p>
            <strong>
              {counted(agents.length, 'agent')} {agents.length === 1 ? 'uses' : 'use'} it.
            </strong>{' '}
            Agents without a fallback will no longer be able to reply:
          </p>
          <ul>
            {agents.map((agent) => (
              <li key={agent.id}>{agentName(agent)}</li>
            ))}
          </ul>
        </>
      ) : null}
      <p>Parley deletes the key that it stores for this provider. This can’t be undone.</p>
    </Confirm>
  );
}
