import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { FieldValues } from 'react-hook-form';
import { isCode } from '../data/parley.ts';
import { Button } from '../ui/button.tsx';
import { Dialog, DialogActions } from '../ui/dialog.tsx';
import { useToast } from '../ui/toast.tsx';
import { TroubleNote } from '../ui/trouble.tsx';
import { Meanwhile } from './meanwhile.tsx';
import { sendBy, type useEditForm } from './use-edit-form.ts';

/**
 * Dialog that edits something that others may change at the same time. It shows their changes before a save overwrites
 * them.
 */
export function EditDialog<Read extends { etag: string }, Values extends FieldValues, Patch>({
  title,
  edit,
  now,
  patch,
  save,
  queryKey,
  done,
  isAtField,
  labels,
  textOf,
  whoChanged,
  unseen,
  actions,
  onClose,
  children,
}: {
  title: string;
  edit: ReturnType<typeof useEditForm<Read, Values>>;
  /** The edited object as it was most recently read. */
  now: Read;
  /** The changes to send; undefined if there are none. */
  patch: Patch | undefined;
  save: (base: Read, patch: Patch) => Promise<Read>;
  queryKey: readonly unknown[];
  /** Text of the toast that confirms the save. */
  done: string;
  /** Returns whether one of the fields shows this error. */
  isAtField: (error: unknown) => boolean;
  /** Labels of the values, by path. */
  labels: Readonly<Record<string, string>>;
  textOf?: (value: unknown, path: string) => string;
  /** Subject and verb of the sentence that says who made the other change, such as “Ana changed this endpoint”. */
  whoChanged: ReactNode;
  /** Example of something that others may change and that the form does not show, such as “a new key”. */
  unseen: string;
  /** Additional buttons between Cancel and Save changes. */
  actions?: ReactNode;
  onClose: () => void;
  /** Renders the fields. Receives the error from the last save. */
  children: (failure: unknown) => ReactNode;
}) {
  const { base, before, mine, theirs } = edit;
  const queryClient = useQueryClient();
  const toast = useToast();
  const { error, isPending, mutate, reset } = useMutation({
    mutationFn: (change: Patch) => save(base, change),
    onSuccess: (saved) => {
      queryClient.setQueryData(queryKey, saved);
      toast({ text: done });
      onClose();
    },
    onError: (failure) => {
      if (isCode(failure, 'precondition_failed')) void queryClient.invalidateQueries({ queryKey });
    },
  });
  const isStale = now.etag !== base.etag;
  const isShown = isAtField(error) || isCode(error, 'precondition_failed');
  return (
    <Dialog title={title} isOpen onClose={onClose} isWide>
      <form
        className="stack"
        onSubmit={sendBy(edit.form, () => patch !== undefined && mutate(patch))}
      >
        {isStale ? (
          <Meanwhile
            labels={labels}
            {...(textOf && { textOf })}
            {...{ before, mine, theirs }}
            onTake={(merged) => {
              edit.rebase(merged);
              reset();
            }}
          >
            {(isNamed) => (
              <>
                <strong>{whoChanged}</strong> since you opened it
                {isNamed ? '' : `. The change is to something not shown here, such as ${unseen}`}.
              </>
            )}
          </Meanwhile>
        ) : null}
        {children(error)}
        {error && !isShown ? <TroubleNote error={error} /> : null}
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          {actions}
          <Button
            kind="primary"
            type="submit"
            isBusy={isPending}
            disabled={isStale || patch === undefined}
          >
            Save changes
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
