import { useState } from 'react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { actedOn } from '../../data/alerts.ts';
import { useSelf, type Escalation } from '../../data/escalations.ts';
import { ok, parley } from '../../data/parley.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { useToast } from '../../ui/toast.tsx';
import { TroubleNote } from '../../ui/trouble.tsx';

const OUTCOMES = [
  'resolved',
  'unresolved',
  'escalated',
  'abandoned',
  'voicemail',
  'failed',
] as const;
type Outcome = (typeof OUTCOMES)[number];

export function EndDialog({
  escalation,
  isOpen,
  onClose,
}: {
  escalation: Escalation;
  isOpen: boolean;
  onClose: () => void;
}) {
  const [outcome, setOutcome] = useState<Outcome | ''>('');
  const queryClient = useQueryClient();
  const toast = useToast();
  const { conversation_id: id, status, accepted_by: by } = escalation;
  const self = useSelf();
  const isOthers = status === 'accepted' && by?.id !== self.id;
  const ending = useMutation({
    mutationFn: () =>
      ok(
        parley.POST('/v1/conversations/{id}/end', {
          params: { path: { id } },
          body: outcome === '' ? {} : { outcome },
        }),
      ),
    onSuccess: () => {
      actedOn(id);
      toast({ text: 'The conversation has ended' });
      void queryClient.invalidateQueries({ queryKey: ['escalations'] });
      void queryClient.invalidateQueries({ queryKey: ['conversations'] });
      onClose();
    },
  });
  return (
    <Dialog title="End the conversation" isOpen={isOpen} onClose={onClose}>
      <p>
        {isOthers
          ? `${by?.name ?? 'Somebody'} is talking to this user and will be disconnected. `
          : ''}
        The user can’t send any more messages. This can’t be undone.
      </p>
      <Field
        label="Outcome"
        hint="If you choose no outcome, a rule derives it from the conversation."
      >
        {(control) => (
          <select
            {...control}
            value={outcome}
            onChange={({ target }) => setOutcome(target.value as Outcome | '')}
          >
            <option value="">Decided by rule</option>
            {OUTCOMES.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        )}
      </Field>
      {ending.error ? <TroubleNote error={ending.error} /> : null}
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button kind="danger" isBusy={ending.isPending} onClick={() => ending.mutate()}>
          End the conversation
        </Button>
      </DialogActions>
    </Dialog>
  );
}
