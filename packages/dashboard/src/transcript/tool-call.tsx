import type { Turn } from '../data/conversations.ts';
import { Json } from '../ui/code.tsx';
import { Status } from '../ui/status.tsx';
import { msText } from '../ui/time.tsx';

type Call = { id: string; name: string; arguments: unknown };
type Result = { ok: boolean; content: unknown; duration_ms: number };

/** Shows a tool call: its arguments, its result and its duration. */
export function ToolCall({ turn, isOpen }: { turn: Turn; isOpen: boolean }) {
  // The contract describes these properties (contract/messages.md#transcript), but the OpenAPI document does not.
  const call = turn.tool_call as Call;
  const result = turn.tool_result as Result | undefined;
  return (
    <details className="tool-call" open={isOpen}>
      <summary>
        <code>{call.name}</code>{' '}
        {result ? (
          <Status tone={result.ok ? 'ok' : 'bad'}>{result.ok ? 'worked' : 'failed'}</Status>
        ) : (
          <Status tone="warn" title="It is unknown whether the tool ran">
            no result
          </Status>
        )}{' '}
        {result ? <span className="muted small numeric">{msText(result.duration_ms)}</span> : null}
      </summary>
      <div>
        <section>
          <p className="small muted">Arguments</p>
          <Json value={call.arguments} label={`Arguments of ${call.name}`} />
        </section>
        {result ? (
          <section>
            <p className="small muted">Result</p>
            <Json value={result.content} label={`Result of ${call.name}`} />
          </section>
        ) : null}
      </div>
    </details>
  );
}
