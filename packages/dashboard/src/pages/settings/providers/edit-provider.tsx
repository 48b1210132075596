import { useMutation, useQueryClient } from '@tanstack/react-query';
import { isCode, ok, parley } from '../../../data/parley.ts';
import { Meanwhile } from '../../../form/meanwhile.tsx';
import { sendBy, useEditForm } from '../../../form/use-edit-form.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog, DialogActions } from '../../../ui/dialog.tsx';
import { useToast } from '../../../ui/toast.tsx';
import { TroubleNote } from '../../../ui/trouble.tsx';
import { patchProvider, providerKey, useProvider, type TaggedProvider } from './provider-data.ts';
import { isShownAtField, ProviderFields } from './provider-form.tsx';
import { TestButton, TestResult, useProviderTest } from './provider-test.tsx';
import { patchOf, valuesOf } from './provider-values.ts';

/** Edits a provider. Changes can be tested before they are saved, and concurrent changes are shown. */
export function EditProvider({ tagged, onClose }: { tagged: TaggedProvider; onClose: () => void }) {
  const { id, name, api_key_secret_ref: ref } = tagged.provider;
  const now = useProvider(id).data ?? tagged;
  const edit = useEditForm(now, ({ provider }) => valuesOf(provider));
  const { base, before, mine, theirs } = edit;
  const patch = patchOf(before, mine);
  const queryClient = useQueryClient();
  const toast = useToast();
  const saving = useMutation({
    mutationFn: () => patchProvider(base, patch ?? {}),
    onSuccess: (saved) => {
      queryClient.setQueryData(providerKey(id), saved);
      toast({ text: `Changed ${name}` });
      onClose();
    },
    onError: (error) => {
      if (isCode(error, 'precondition_failed')) {
        void queryClient.invalidateQueries({ queryKey: providerKey(id) });
      }
    },
  });
  const params = { path: { id } };
  const test = useProviderTest(JSON.stringify(mine), () =>
    ok(parley.POST('/v1/model_providers/{id}/test', { params, body: patch ?? {} })),
  );
  const isStale = now.etag !== base.etag;
  const failure = saving.error ?? test.error;
  const isShown = isShownAtField(saving.error) || isCode(saving.error, 'precondition_failed');
  return (
    <Dialog title={`Edit ${name}`} isOpen onClose={onClose} isWide>
      <form className="stack" onSubmit={sendBy(edit.form, () => saving.mutate())}>
        {isStale ? (
          <Meanwhile
            labels={LABELS}
            before={before}
            mine={mine}
            theirs={theirs}
            onTake={(merged) => {
              edit.rebase(merged);
              saving.reset();
            }}
          >
            {(isNamed) => (
              <>
                <strong>Somebody changed this provider</strong> since you opened it
                {isNamed ? '' : '. The change is not shown here, for example a new key'}.
              </>
            )}
          </Meanwhile>
        ) : null}
        <ProviderFields
          form={{ ...edit.form, failure }}
          models={test.models}
          hasKey={ref !== null}
        />
        <TestResult test={test} />
        {saving.error && !isShown ? <TroubleNote error={saving.error} /> : null}
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <TestButton test={test} />
          <Button
            kind="primary"
            type="submit"
            isBusy={saving.isPending}
            disabled={isStale || patch === undefined}
          >
            Save changes
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

const LABELS = {
  base_url: 'Base URL',
  api_key_header: 'Header for the key',
  organization: 'Organization',
  project: 'Project',
  query: 'Query parameters',
  'chat.default_model': 'Default model',
  'speech.default_model': 'Speech model',
  'speech.default_voice': 'Default voice',
  'transcription.default_model': 'Transcription model',
  'embeddings.default_model': 'Embedding model',
};
