import { ok, parley } from '../../../data/parley.ts';
import { EditDialog } from '../../../form/edit-dialog.tsx';
import { useEditForm } from '../../../form/use-edit-form.ts';
import { patchProvider, providerKey, useProvider, type TaggedProvider } from './provider-data.ts';
import { isShownAtField, ProviderFields } from './provider-form.tsx';
import { TestButton, TestResult, useProviderTest } from './provider-test.tsx';
import { patchOf, valuesOf } from './provider-values.ts';

/** Edits a provider. Changes can be tested before they are saved. */
export function EditProvider({ tagged, onClose }: { tagged: TaggedProvider; onClose: () => void }) {
  const { id, name, api_key_secret_ref: ref } = tagged.provider;
  const now = useProvider(id).data ?? tagged;
  const edit = useEditForm(now, ({ provider }) => valuesOf(provider));
  const { before, mine, form } = edit;
  const patch = patchOf(before, mine);
  const params = { path: { id } };
  const test = useProviderTest(JSON.stringify(mine), () =>
    ok(parley.POST('/v1/model_providers/{id}/test', { params, body: patch ?? {} })),
  );
  return (
    <EditDialog
      title={`Edit ${name}`}
      {...{ edit, now, patch, onClose }}
      save={patchProvider}
      queryKey={providerKey(id)}
      done={`Changed ${name}`}
      isAtField={isShownAtField}
      labels={LABELS}
      whoChanged="Somebody changed this provider"
      unseen="a new key"
      actions={<TestButton test={test} />}
    >
      {(failure) => (
        <>
          <ProviderFields
            form={{ ...form, failure: failure ?? test.error }}
            models={test.models}
            hasKey={ref !== null}
          />
          <TestResult test={test} />
        </>
      )}
    </EditDialog>
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
