import { useState } from 'react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { fieldError, ok, parley } from '../../../data/parley.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog, DialogActions } from '../../../ui/dialog.tsx';
import { Field } from '../../../ui/field.tsx';
import { useToast } from '../../../ui/toast.tsx';
import { TroubleNote } from '../../../ui/trouble.tsx';
import { patchProvider, providerKey, type TaggedProvider } from './provider-data.ts';
import { isShownAtField } from './provider-form.tsx';
import { TestButton, TestResult, useProviderTest } from './provider-test.tsx';

/** Replaces the key of a provider. The new key can be tested first. */
export function ReplaceKey({ tagged, onClose }: { tagged: TaggedProvider; onClose: () => void }) {
  const { id, name } = tagged.provider;
  const [text, setText] = useState('');
  const key = text.trim();
  const queryClient = useQueryClient();
  const toast = useToast();
  const replacing = useMutation({
    mutationFn: () => patchProvider(tagged, { api_key: key }),
    onSuccess: (saved) => {
      queryClient.setQueryData(providerKey(id), saved);
      toast({ text: `Replaced the key of ${name}` });
      onClose();
    },
  });
  const params = { path: { id } };
  const test = useProviderTest(key, () =>
    ok(parley.POST('/v1/model_providers/{id}/test', { params, body: { api_key: key } })),
  );
  return (
    <Dialog title={`Replace the key of ${name}`} isOpen onClose={onClose}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          replacing.mutate();
        }}
      >
        <Field
          label="New API key"
          hint="Replies use the new key within a second. The key is stored encrypted and never shown again."
          error={fieldError(replacing.error ?? test.error, '/api_key')}
        >
          {(control) => (
            <input
              {...control}
              type="password"
              autoComplete="new-password"
              required
              value={text}
              onChange={({ target }) => setText(target.value)}
            />
          )}
        </Field>
        <TestResult test={test} />
        {replacing.error && !isShownAtField(replacing.error) ? (
          <TroubleNote error={replacing.error} />
        ) : null}
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <TestButton test={test} />
          <Button type="submit" kind="primary" isBusy={replacing.isPending} disabled={key === ''}>
            Replace the key
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
