import { useState } from 'react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTakeOver, type Declared } from '../../data/agents.ts';
import { patchAgent } from '../../data/agent-writes.ts';
import { fieldError } from '../../data/parley.ts';
import { ActButton, Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { TroubleNote } from '../../ui/trouble.tsx';

/**
 * Shows the prompt of the chosen version beside the conversation. The newest prompt can be edited there. A save creates
 * the next version, and the playground continues with it.
 */
export function PromptPanel({
  declared,
  version,
  prompt,
  onSaved,
}: {
  declared: Declared;
  version: number;
  prompt: string;
  /** Called with the version of the saved prompt. */
  onSaved: (version: number) => void;
}) {
  const { agent } = declared;
  const [typed, setTyped] = useState<string | null>(null);
  // The panel starts closed on narrow pages, where it would be between the conversation and the message box.
  const [isWide] = useState(() => window.matchMedia('(min-width: 60rem)').matches);
  const save = useSave(declared, (saved) => {
    setTyped(null);
    onSaved(saved);
  });
  const why = whyFixed(agent, version, prompt);
  const text = why === null ? (typed ?? prompt) : prompt;
  return (
    <details className="card" open={isWide}>
      <summary>Prompt of version {version}</summary>
      <div className="stack-small">
        <Field
          label={<span className="unseen">Prompt of version {version}</span>}
          hint={why ?? effectOf(agent)}
          error={fieldError(save.error, '/prompt')}
        >
          {(control) => (
            <textarea
              {...control}
              rows={12}
              readOnly={why !== null}
              value={text}
              onChange={({ target }) => setTyped(target.value)}
            />
          )}
        </Field>
        {save.error ? <TroubleNote error={save.error} /> : null}
        {why === null && text !== prompt ? (
          <div className="row">
            <ActButton
              needs="write"
              kind="primary"
              isBusy={save.isPending}
              onClick={() => save.mutate(text)}
            >
              {isHeld(agent) ? 'Save as a draft and try it' : 'Save and make it live'}
            </ActButton>
            <Button onClick={() => setTyped(null)}>Discard</Button>
          </div>
        ) : null}
      </div>
    </details>
  );
}

/** Returns why the prompt cannot be edited here, or null if it can. */
function whyFixed(agent: Declared['agent'], version: number, prompt: string): string | null {
  if (agent.managed_by !== 'api') return 'This agent is managed elsewhere and is read-only here.';
  if (version !== agent.latest_version || prompt !== agent.prompt) {
    return `Choose version ${agent.latest_version} to edit the prompt.`;
  }
  return null;
}

/** Whether saved changes wait until somebody publishes them. */
const isHeld = (agent: Declared['agent']): boolean =>
  agent.publish_policy === 'manual' || agent.pinned_version !== null;

const effectOf = (agent: Declared['agent']): string =>
  isHeld(agent)
    ? 'A saved change is a draft until somebody publishes it.'
    : 'Saved changes go live immediately. Choose Manual under Publishing to try drafts first.';

function useSave(declared: Declared, onSaved: (version: number) => void) {
  const takeOver = useTakeOver();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (prompt: string) => patchAgent(declared, { prompt }),
    onSuccess: (after) => {
      takeOver(after);
      onSaved(after.agent.latest_version ?? 1);
    },
    // Somebody else may have saved first. Reads the agent again, so that a second attempt has the latest ETag.
    onError: () => void queryClient.invalidateQueries({ queryKey: ['agents'] }),
  });
}
