import { useState } from 'react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { ok, parley } from '../../data/parley.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { TroubleNote } from '../../ui/trouble.tsx';
import type { Key } from './key.ts';
import { ShownOnce } from './shown-once.tsx';

const OVERLAPS = [
  { sec: 0, name: 'immediately' },
  { sec: 3_600, name: 'in an hour' },
  { sec: 86_400, name: 'in a day' },
  { sec: 604_800, name: 'in a week' },
];

/** Creates a key with the same name and scopes. The old key expires after the chosen time. */
export function RotateKey({ apiKey, onClose }: { apiKey: Key; onClose: () => void }) {
  const queryClient = useQueryClient();
  const [overlapSec, setOverlapSec] = useState(86_400);
  const rotating = useMutation({
    mutationFn: async () => {
      const params = { path: { id: apiKey.id } };
      const body = { overlap_sec: overlapSec };
      return ok(parley.POST('/v1/api_keys/{id}/rotate', { params, body }));
    },
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['keys'] }),
  });
  if (rotating.data) {
    return (
      <ShownOnce
        apiKey={rotating.data.key}
        title={`New key for ${apiKey.name}`}
        onClose={onClose}
      />
    );
  }
  return (
    <Dialog title={`Rotate ${apiKey.name}`} isOpen onClose={onClose}>
      <p>
        This creates a new key with the same name and scopes. Sessions of the old key end when it
        expires.
      </p>
      <Field label="The old key expires">
        {(control) => (
          <select
            {...control}
            value={overlapSec}
            onChange={({ target }) => setOverlapSec(Number(target.value))}
          >
            {OVERLAPS.map(({ sec, name }) => (
              <option key={sec} value={sec}>
                {name}
              </option>
            ))}
          </select>
        )}
      </Field>
      {rotating.error ? <TroubleNote error={rotating.error} /> : null}
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button kind="primary" isBusy={rotating.isPending} onClick={() => rotating.mutate()}>
          Rotate the key
        </Button>
      </DialogActions>
    </Dialog>
  );
}
