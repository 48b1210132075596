import { useState } from 'react';
import type { Escalation } from '../../data/escalations.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { Field } from '../../ui/field.tsx';
import { useRelease } from './acts.ts';

/** Releases the escalation to the same team or another one. */
export function ReleaseDialog({
  escalation: { id, team, accepted_by: by },
  onClose,
}: {
  escalation: Escalation;
  onClose: () => void;
}) {
  const [asked, setAsked] = useState('');
  const releasing = useRelease(asked.trim());
  return (
    <Confirm
      title="Ask somebody else?"
      isOpen
      onClose={onClose}
      action="Ask somebody else"
      act={() => releasing.mutateAsync(id)}
    >
      <p>The user sees that {by?.name} has left, and waits until another human agent accepts.</p>
      <Field
        label="Team"
        hint={team === null ? 'Leave empty for any team.' : `Leave empty to ask ${team} again.`}
      >
        {(control) => (
          <input
            {...control}
            maxLength={64}
            value={asked}
            onChange={({ target }) => setAsked(target.value)}
          />
        )}
      </Field>
    </Confirm>
  );
}
