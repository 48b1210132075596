import { useState, type ReactNode } from 'react';
import { useMutation } from '@tanstack/react-query';
import { Button } from './button.tsx';
import { Dialog, DialogActions } from './dialog.tsx';
import { Field } from './field.tsx';
import { TroubleNote } from './trouble.tsx';

/**
 * Asks for confirmation before an action that cannot be undone. `typed` is a word that must be typed first, for actions
 * that erase data. The dialog closes when `act` succeeds, and shows the error when it fails.
 */
export function Confirm({
  title,
  isOpen,
  onClose,
  children,
  action,
  typed,
  act,
}: {
  title: string;
  isOpen: boolean;
  onClose: () => void;
  /** Describes what will happen. */
  children: ReactNode;
  /** Label of the button that confirms. It names the action instead of “OK”. */
  action: string;
  typed?: string;
  act: () => Promise<unknown>;
}) {
  const [text, setText] = useState('');
  const done = (): void => {
    setText('');
    acting.reset();
    onClose();
  };
  const acting = useMutation({ mutationFn: act, onSuccess: done });
  return (
    <Dialog title={title} isOpen={isOpen} onClose={done}>
      <div className="stack-small">{children}</div>
      {typed === undefined ? null : (
        <Field label={`Type “${typed}” to continue`}>
          {(control) => (
            <input
              {...control}
              autoComplete="off"
              value={text}
              onChange={({ target }) => setText(target.value)}
            />
          )}
        </Field>
      )}
      {acting.error ? <TroubleNote error={acting.error} /> : null}
      <DialogActions>
        <Button onClick={done}>Cancel</Button>
        <Button
          kind="danger"
          isBusy={acting.isPending}
          disabled={typed !== undefined && text !== typed}
          onClick={() => acting.mutate()}
        >
          {action}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
