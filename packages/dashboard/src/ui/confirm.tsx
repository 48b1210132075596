import { useState, type ReactNode } from 'react';
import { useMutation } from '@tanstack/react-query';
import { Button } from './button.tsx';
import { Dialog, DialogActions } from './dialog.tsx';
import { Field } from './field.tsx';
import { TroubleNote } from './trouble.tsx';

/**
 * The question before what cannot be undone. With `typed`, that word has to be typed first: for what
 * erases. It closes when `act` has succeeded, and says why when it has not.
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
  /** What will happen. */
  children: ReactNode;
  /** The button's word: what it does, not “OK”. */
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
        <Field label={`Type “${typed}” to go on`}>
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
