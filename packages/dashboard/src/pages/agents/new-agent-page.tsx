import { useNavigate } from '@tanstack/react-router';
import { useMutation } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useForm } from 'react-hook-form';
import { agentName, useTakeOver } from '../../data/agents.ts';
import type { BodyOf } from '../../data/parley.ts';
import { mergePatch } from '../../form/merge.ts';
import { createAgent } from '../../data/agent-writes.ts';
import { sendBy } from '../../form/use-edit-form.ts';
import { ActButton, ButtonLink } from '../../ui/button.tsx';
import { Page } from '../../ui/page.tsx';
import { useToast } from '../../ui/toast.tsx';
import { TroubleNote } from '../../ui/trouble.tsx';
import { BasicFields, PolicyField } from './agent-fields.tsx';
import { ModelFields, SourcesField } from './agent-more-fields.tsx';
import { fieldsOf, valuesOf, type AgentValues } from './agent-values.ts';
import { useProviders } from './use-providers.ts';
import './agents.css';

/** Creates an agent from a name and a prompt; everything else can be added later. */
export function NewAgentPage() {
  // A new agent is a draft, so that people can try it before it talks with customers.
  const fields = useForm<AgentValues>({ defaultValues: valuesOf({ publish_policy: 'manual' }) });
  const create = useCreate();
  const { getValues, setValue } = fields;
  // Without a provider, the agent ignores its prompt. The most recently connected chat provider is therefore
  // preselected.
  const provider = useProviders().find(({ chat }) => chat?.default_model)?.name;
  useEffect(() => {
    if (provider && !getValues('model.provider')) setValue('model.provider', provider);
  }, [provider, getValues, setValue]);
  const form = { ...fields, failure: create.error };
  return (
    <Page title="New agent" back={{ to: '/agents', name: 'Agents' }}>
      <form
        className="stack"
        aria-label="New agent"
        onSubmit={sendBy(form, (values) => {
          const nothing = fieldsOf(valuesOf({}));
          create.mutate(mergePatch(nothing, fieldsOf(values)) as BodyOf<'/v1/agents', 'post'>);
        })}
      >
        {create.error ? <TroubleNote error={create.error} /> : null}
        <div className="agent-form-columns">
          <div className="card stack">
            <BasicFields form={form} />
          </div>
          <div className="card stack">
            <SourcesField form={form} />
            <ModelFields form={form} />
            <PolicyField form={form} isNew />
          </div>
        </div>
        <div className="agent-form-actions">
          <ActButton needs="write" type="submit" kind="primary" isBusy={create.isPending}>
            {form.watch('publish_policy') === 'manual'
              ? 'Create agent as a draft'
              : 'Create agent and make it live'}
          </ActButton>
          <ButtonLink to="/agents">Cancel</ButtonLink>
        </div>
      </form>
    </Page>
  );
}

function useCreate() {
  const navigate = useNavigate();
  const toast = useToast();
  const takeOver = useTakeOver();
  return useMutation({
    mutationFn: createAgent,
    onSuccess: (made) => {
      takeOver(made);
      toast({ text: `Created ${agentName(made.agent)}` });
      void navigate({ to: '/agents/$agentId', params: { agentId: made.agent.id } });
    },
  });
}
