import { useState } from 'react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useForm } from 'react-hook-form';
import { ok, parley } from '../../../data/parley.ts';
import { TextField } from '../../../form/fields.tsx';
import { sendBy } from '../../../form/use-edit-form.ts';
import { ActButton } from '../../../ui/button.tsx';
import { Field } from '../../../ui/field.tsx';
import { Page } from '../../../ui/page.tsx';
import { useToast } from '../../../ui/toast.tsx';
import { TroubleNote } from '../../../ui/trouble.tsx';
import { PRESETS, valuesOfPreset, type Preset } from './presets.ts';
import { isShownAtField, ProviderFields } from './provider-form.tsx';
import { TestButton, TestResult, useProviderTest } from './provider-test.tsx';
import { bodyOf, type ProviderValues } from './provider-values.ts';

const FIRST = PRESETS[0]!; // The list is not empty.

/** Connects a model: the user chooses a provider, pastes its key, tests it and saves it. */
export function NewProviderPage() {
  const [preset, setPreset] = useState<Preset>(FIRST);
  const form = useForm<ProviderValues>({ defaultValues: valuesOfPreset(FIRST) });
  const values = form.watch();
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const toast = useToast();
  const connecting = useMutation({
    mutationFn: () => ok(parley.POST('/v1/model_providers', { body: bodyOf(form.getValues()) })),
    onSuccess: async (provider) => {
      toast({ text: `Connected ${provider.name}` });
      await queryClient.invalidateQueries({ queryKey: ['providers'] });
      await navigate({ to: `/settings/providers/${provider.id}` });
    },
  });
  const test = useProviderTest(JSON.stringify(values), () =>
    ok(parley.POST('/v1/model_providers/test', { body: bodyOf(form.getValues()) })),
  );
  const choose = (name: string): void => {
    const next = PRESETS.find((one) => one.name === name) ?? FIRST;
    setPreset(next);
    form.reset(valuesOfPreset(next));
    connecting.reset();
  };
  const failure = connecting.error ?? test.error;
  return (
    <Page title="Connect a model" back={{ to: '/settings/providers', name: 'Model providers' }}>
      <form className="card stack form" onSubmit={sendBy(form, () => connecting.mutate())}>
        <Field label="Provider">
          {(control) => (
            <select
              {...control}
              value={preset.name}
              onChange={({ target }) => choose(target.value)}
            >
              {PRESETS.map(({ name, label }) => (
                <option key={name} value={name}>
                  {label}
                </option>
              ))}
            </select>
          )}
        </Field>
        <TextField
          form={{ ...form, failure }}
          name="name"
          label="Name"
          hint="Agents refer to the provider by this name. It can’t be changed later."
        />
        <ProviderFields form={{ ...form, failure }} preset={preset} models={test.models} />
        <TestResult test={test} />
        {connecting.error && !isShownAtField(connecting.error) ? (
          <TroubleNote error={connecting.error} />
        ) : null}
        <div className="row">
          <TestButton test={test} />
          <ActButton needs="write" kind="primary" type="submit" isBusy={connecting.isPending}>
            Connect
          </ActButton>
        </div>
      </form>
    </Page>
  );
}
