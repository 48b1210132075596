import { useState } from 'react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { createSource } from '../../data/knowledge.ts';
import { fieldError, isCode } from '../../data/parley.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { useToast } from '../../ui/toast.tsx';
import { TroubleNote } from '../../ui/trouble.tsx';
import { NameField } from './name-field.tsx';

type NewSource = { name: string; text: string };

/** Creates a source from a text, which is searchable immediately. */
export function NewText({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const [{ name, text }, setNew] = useState<NewSource>({ name: '', text: '' });
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const toast = useToast();
  const making = useMutation({
    mutationFn: () => createSource({ type: 'text', text, ...(name !== '' && { name }) }),
    onSuccess: (source) => {
      void queryClient.invalidateQueries({ queryKey: ['sources'] });
      toast({ text: `Added ${source.name}` });
      void navigate({ to: `/knowledge/sources/${source.id}` });
    },
  });
  const { error } = making;
  const nameError = isCode(error, 'name_taken')
    ? 'Another source has this name.'
    : fieldError(error, '/name');
  const textError = fieldError(error, '/text');
  return (
    <Dialog title="Add a text" isOpen={isOpen} onClose={onClose} isWide>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          making.mutate();
        }}
      >
        <NameField
          name={name}
          error={nameError}
          onChange={(value) => setNew({ name: value, text })}
        />
        <Field
          label="Text"
          hint="Plain text or Markdown. Headings divide it into passages."
          error={textError}
        >
          {(control) => (
            <textarea
              {...control}
              rows={14}
              value={text}
              onChange={({ target }) => setNew({ name, text: target.value })}
            />
          )}
        </Field>
        {error && !nameError && !textError ? <TroubleNote error={error} /> : null}
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            type="submit"
            kind="primary"
            isBusy={making.isPending}
            disabled={text.trim() === ''}
          >
            Add the text
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
