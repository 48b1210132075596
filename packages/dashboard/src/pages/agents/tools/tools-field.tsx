import { useState } from 'react';
import { OrJson } from '../../../form/or-json.tsx';
import { fieldErrors } from '../../../data/parley.ts';
import { Button } from '../../../ui/button.tsx';
import { SHAPES, type Tool } from '../agent-shapes.ts';
import { ToolDialog } from './tool-dialog.tsx';
import { TYPES } from './tool-types.ts';

/** Edits the list of an agent's tools. Each tool opens in a dialog, where it can also be called once. */
export function ToolsField({
  agentId,
  value,
  failure,
  onChange,
}: {
  agentId: string;
  value: Tool[] | string;
  failure: unknown;
  onChange: (value: Tool[] | string) => void;
}) {
  return (
    <OrJson
      legend="Tools"
      value={value}
      empty={[]}
      shape={SHAPES.tools}
      isExact
      error={typeof value === 'string' ? fieldErrors(failure, '/tools') : undefined}
      onChange={onChange}
    >
      {(tools) => (
        <ToolList agentId={agentId} tools={tools} failure={failure} onChange={onChange} />
      )}
    </OrJson>
  );
}

function ToolList({
  agentId,
  tools,
  failure,
  onChange,
}: {
  agentId: string;
  tools: Tool[];
  failure: unknown;
  onChange: (tools: Tool[]) => void;
}) {
  /** Index of the tool in the open dialog; null if no dialog is open. For a new tool, it is the length of the list. */
  const [open, setOpen] = useState<number | null>(null);
  return (
    <>
      {tools.length === 0 ? (
        <p className="muted small">
          A tool lets the agent look something up in your systems, hand over, or hang up.
        </p>
      ) : null}
      <ul className="agent-list">
        {tools.map((tool, at) => (
          <li key={at} className="spread">
            <div>
              <span className="mono">{tool.name}</span>{' '}
              <span className="muted small">{TYPES[tool.type]}</span>
              {tool.description ? <p className="small muted">{tool.description}</p> : null}
              <Problem text={fieldErrors(failure, `/tools/${at}`)} />
            </div>
            <div className="row">
              <Button size="small" onClick={() => setOpen(at)} aria-label={`Edit ${tool.name}`}>
                Edit
              </Button>
              <Button
                size="small"
                onClick={() => onChange(tools.filter((_, other) => other !== at))}
                aria-label={`Remove ${tool.name}`}
              >
                Remove
              </Button>
            </div>
          </li>
        ))}
      </ul>
      <p>
        <Button size="small" onClick={() => setOpen(tools.length)}>
          Add a tool
        </Button>
      </p>
      {open === null ? null : (
        <ToolDialog
          agentId={agentId}
          tool={tools[open]}
          taken={tools.filter((_, at) => at !== open).map(({ name }) => name)}
          onClose={() => setOpen(null)}
          onDone={(tool) => {
            onChange([...tools.slice(0, open), tool, ...tools.slice(open + 1)]);
            setOpen(null);
          }}
        />
      )}
    </>
  );
}

function Problem({ text }: { text: string | undefined }) {
  return text === undefined ? null : <p className="problem small">{text}</p>;
}
