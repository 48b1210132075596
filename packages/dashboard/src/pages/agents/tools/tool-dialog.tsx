import { useState } from 'react';
import { createPortal } from 'react-dom';
import { Button } from '../../../ui/button.tsx';
import { Dialog, DialogActions } from '../../../ui/dialog.tsx';
import type { Tool } from '../agent-shapes.ts';
import { CallOnce } from './call-once.tsx';
import { draftOf, editedTool, NEW_TOOL, type ToolDraft } from './tool-draft.ts';
import { ToolFields } from './tool-fields.tsx';
import { problemsOf } from './tool-problems.ts';

/**
 * Edits one tool. The change is stored when the agent's form is saved. The dialog is rendered outside that form, so
 * that Enter in the dialog does not submit the form.
 */
export function ToolDialog({
  agentId,
  tool = NEW_TOOL,
  taken,
  onDone,
  onClose,
}: {
  agentId: string;
  /** Undefined for a new tool. */
  tool?: Tool | undefined;
  /** Names of the other tools of the agent. */
  taken: readonly string[];
  onDone: (tool: Tool) => void;
  onClose: () => void;
}) {
  const [draft, setDraft] = useState<ToolDraft>(() => draftOf(tool));
  const [isTried, setIsTried] = useState(false);
  const problems = problemsOf(draft, taken);
  const isWrong = Object.keys(problems).length > 0;
  const done = (): void => {
    setIsTried(true);
    if (!isWrong) onDone(editedTool(tool, draft));
  };
  const title = tool === NEW_TOOL ? 'New tool' : `Tool ${tool.name}`;
  return createPortal(
    <Dialog title={title} isOpen onClose={onClose} isWide>
      <div className="stack">
        <ToolFields draft={draft} problems={isTried ? problems : {}} onChange={setDraft} />
        {draft.type === 'webhook' ? <CallOnce agentId={agentId} draft={draft} /> : null}
      </div>
      <DialogActions>
        {isTried && isWrong ? (
          <p className="problem small" role="alert">
            {Object.values(problems)[0]}
          </p>
        ) : null}
        <Button onClick={onClose}>Cancel</Button>
        <Button kind="primary" onClick={done}>
          Done
        </Button>
      </DialogActions>
    </Dialog>,
    document.body,
  );
}
