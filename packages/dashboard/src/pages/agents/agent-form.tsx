import { useDeferredValue, useState } from 'react';
import { useBlocker } from '@tanstack/react-router';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTakeOver, waitingVersion, type Declared } from '../../data/agents.ts';
import { patchAgent, type AgentPatch } from '../../data/agent-writes.ts';
import { isCode, troubleOf } from '../../data/parley.ts';
import { changesBetween, isSame, mergePatch } from '../../form/merge.ts';
import { Section } from '../../form/section.tsx';
import { sendBy, useEditForm } from '../../form/use-edit-form.ts';
import { ActButton, Button } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { useToast } from '../../ui/toast.tsx';
import { TroubleNote } from '../../ui/trouble.tsx';
import { BasicFields, PolicyField } from './agent-fields.tsx';
import { ModelFields, SeldomFields, SourcesField, WidgetFields } from './agent-more-fields.tsx';
import { contentOf, fieldsOf, hasWrongJson, valuesOf } from './agent-values.ts';
import type { Tool } from './agent-shapes.ts';
import { ChangedMeanwhile } from './changed-meanwhile.tsx';
import { Changes } from './changes.tsx';
import { EscalationFields } from './escalation/escalation-fields.tsx';
import { JudgementField } from './judgement-field.tsx';
import { TranscriberField } from './speech/transcriber-field.tsx';
import { VoiceField } from './speech/voice-field.tsx';
import { ToolsField } from './tools/tools-field.tsx';

type Fields = ReturnType<typeof fieldsOf>;

/** Form that edits an agent as it was when the form opened, and shows changes that others make in the meantime. */
export function AgentForm({
  declared,
  isForWidget,
  onClose,
}: {
  declared: Declared;
  /** Whether the form opens at the section “On web pages”. */
  isForWidget: boolean;
  onClose: () => void;
}) {
  const edit = useEditForm(declared, ({ agent }) => valuesOf(agent));
  const { base, form: fields, mine, theirs } = edit;
  const [before, after] = [fieldsOf(edit.before), fieldsOf(mine)];
  const patch = mergePatch(before, after) as AgentPatch | undefined;
  const isWrong = Object.keys(fields.formState.errors).length > 0 || hasWrongJson(mine);
  const isDirty = patch !== undefined || isWrong;
  const isChanged = !isSame(theirs, edit.before);
  // If others changed only values that this form does not contain, such as the pin, nothing can conflict. The save uses
  // the latest ETag in this case.
  const save = useSave({ ...base, etag: isChanged ? base.etag : declared.etag }, onClose);
  const form = { ...fields, failure: save.error };
  return (
    <form
      className="stack"
      aria-label="Change the agent"
      onSubmit={sendBy(form, () => save.mutate(patch ?? {}))}
    >
      <LeaveQuestion isDirty={isDirty && !save.isPending && !save.isSuccess} />
      {isChanged ? (
        <ChangedMeanwhile
          base={base}
          mine={mine}
          now={declared}
          onTake={(merged) => {
            edit.rebase(merged);
            save.reset();
          }}
        />
      ) : null}
      {save.error && !(isChanged && isCode(save.error, 'precondition_failed')) ? (
        <TroubleNote error={save.error} />
      ) : null}
      <div className="agent-form-columns">
        <div className="stack">
          <div className="card stack">
            <BasicFields form={form} />
          </div>
          <div className="card stack">
            <ToolsField
              agentId={declared.agent.id}
              value={mine.tools}
              failure={form.failure}
              onChange={(tools) => form.setValue('tools', tools)}
            />
          </div>
        </div>
        <div className="card stack">
          <ModelFields form={form} />
          <SourcesField form={form} />
          <PolicyField form={form} />
        </div>
      </div>
      <Section title="Voice" failure={form.failure}>
        <VoiceField
          agentId={declared.agent.id}
          value={mine.voice}
          failure={form.failure}
          onChange={(voice) => form.setValue('voice', voice)}
        />
        <TranscriberField
          value={mine.transcriber}
          failure={form.failure}
          onChange={(transcriber) => form.setValue('transcriber', transcriber)}
        />
      </Section>
      <Section title="When a human agent takes over" failure={form.failure}>
        <EscalationFields form={form} />
      </Section>
      <Section title="Judgement of ended conversations" failure={form.failure}>
        <JudgementField form={form} />
      </Section>
      <Section title="On web pages" failure={form.failure} isWanted={isForWidget}>
        <WidgetFields form={form} />
      </Section>
      <Section title="Advanced: limits, privacy" failure={form.failure}>
        <SeldomFields form={form} />
      </Section>
      {isDirty ? <WhatChanges before={before} after={after} /> : null}
      <div className="agent-form-actions">
        <ActButton
          needs="write"
          type="submit"
          kind="primary"
          isBusy={save.isPending}
          disabled={!isDirty || isWrong || isChanged}
        >
          {saveText(declared, before, after)}
        </ActButton>
        <Button onClick={onClose}>{isDirty ? 'Discard' : 'Cancel'}</Button>
      </div>
    </form>
  );
}

/**
 * Shows what a save would change. Prompts are long, so the comparison runs only while this section is open, and only
 * after the typed text has rendered.
 */
function WhatChanges({ before, after }: { before: Fields; after: Fields }) {
  const [isShown, setIsShown] = useState(false);
  const shown = useDeferredValue(after);
  return (
    <details className="card" onToggle={({ currentTarget }) => setIsShown(currentTarget.open)}>
      <summary>What changes</summary>
      <div className="details-body">
        {isShown ? (
          <Changes changes={changesBetween(before, withoutSecrets(shown))} heading="h2" />
        ) : null}
      </div>
    </details>
  );
}

/** Replaces plain-text secrets with a placeholder, because secrets may be shown only in their inputs. */
function withoutSecrets(fields: Fields): Fields {
  const tools = fields['tools'] as readonly Tool[] | undefined; // `fieldsOf` returns the tools of the form.
  const hidden = ({ secret, signing_secret: signing, ...tool }: Tool) => ({
    ...tool,
    ...(secret && { secret: 'new' }),
    ...(signing && { signing_secret: 'new' }),
  });
  return tools ? { ...fields, tools: tools.map(hidden) } : fields;
}

/**
 * Returns the label of the save button, which says whether saving makes anything live. The label depends on the policy
 * selected in the form instead of the saved one, because the save applies the selected policy.
 */
function saveText({ agent }: Declared, before: Fields, after: Fields): string {
  const names = Object.keys(contentOf(agent));
  const changes = changesBetween(before, after);
  const isContent = changes.some(({ path }) => names.includes(path.split('/')[1] ?? ''));
  const isHeld = after['publish_policy'] === 'manual' || agent.pinned_version !== null;
  if (isHeld) return isContent ? 'Save without publishing' : 'Save';
  if (after['publish_policy'] === 'progressive') {
    return isContent ? 'Save and begin a rollout' : 'Save';
  }
  // Changing the policy to `automatic` publishes the draft version, even if the content stays the same.
  const isWaiting = waitingVersion(agent) !== null;
  return isContent || isWaiting ? 'Save and make it live' : 'Save';
}

function useSave(read: Declared, onDone: () => void) {
  const toast = useToast();
  const takeOver = useTakeOver();
  const queryClient = useQueryClient();
  const undo = async (after: Declared, back: AgentPatch): Promise<void> => {
    try {
      takeOver(await patchAgent(after, back));
      toast({ text: 'Undone' });
    } catch (error) {
      toast({ text: troubleOf(error).detail, tone: 'bad' });
    }
  };
  return useMutation({
    mutationFn: (patch: AgentPatch) => patchAgent(read, patch),
    onSuccess: (after) => {
      takeOver(after);
      const fields = (agent: Declared['agent']) => fieldsOf(valuesOf(agent));
      const back = mergePatch(fields(after.agent), fields(read.agent)) as AgentPatch | undefined;
      toast({ text: 'Saved', ...(back && { undo: () => void undo(after, back) }) });
      onDone();
    },
    // Somebody else may have saved first. Reads the agent again, so that the form shows their changes.
    onError: () => void queryClient.invalidateQueries({ queryKey: ['agents'] }),
  });
}

function LeaveQuestion({ isDirty }: { isDirty: boolean }) {
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => isDirty && current.pathname !== next.pathname,
    enableBeforeUnload: isDirty,
    withResolver: true,
  });
  if (blocker.status !== 'blocked') return null;
  return (
    <Dialog title="Leave without saving?" isOpen onClose={blocker.reset}>
      <p>Your changes are not saved.</p>
      <DialogActions>
        <Button onClick={blocker.reset}>Stay</Button>
        <Button kind="danger" onClick={blocker.proceed}>
          Leave
        </Button>
      </DialogActions>
    </Dialog>
  );
}
