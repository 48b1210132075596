import { useQueryClient } from '@tanstack/react-query';
import { ok, parley } from '../../data/parley.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { useToast } from '../../ui/toast.tsx';
import type { Key } from './key.ts';

export function DeleteKey({ apiKey, onClose }: { apiKey: Key; onClose: () => void }) {
  const queryClient = useQueryClient();
  const toast = useToast();
  return (
    <Confirm
      title={`Delete ${apiKey.name}`}
      isOpen
      onClose={onClose}
      action="Delete the key"
      act={async () => {
        await ok(parley.DELETE('/v1/api_keys/{id}', { params: { path: { id: apiKey.id } } }));
        toast({ text: `Deleted ${apiKey.name}` });
        await queryClient.invalidateQueries({ queryKey: ['keys'] });
      }}
    >
      <p>
        Requests with <span className="mono">{apiKey.prefix}…</span> are rejected immediately. The
        key’s open streams and sessions end. This can’t be undone.
      </p>
    </Confirm>
  );
}
