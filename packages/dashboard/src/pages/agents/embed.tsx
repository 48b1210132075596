import type { Agent } from '../../data/parley.ts';
import { Code } from '../../ui/code.tsx';

/** Shows how to embed the agent in a web page, and which pages may embed it. */
export function Embed({ agent: { id, widget, managed_by: manager } }: { agent: Agent }) {
  return (
    <section className="card stack-small">
      <h2>On web pages</h2>
      {widget ? (
        <>
          <p>
            Visitors to {widget.allowed_origins.join(', ') || 'no page'} may talk to this agent
            {widget.max_concurrent ? `, at most ${widget.max_concurrent} at once` : ''}. Add this
            script before <code>&lt;/body&gt;</code> on each page:
          </p>
          <Code text={snippetOf(id)} label="Widget script" wrap />
        </>
      ) : (
        <p className="muted">
          No page may embed this agent yet.{' '}
          {manager === 'api' ? (
            <>
              To allow pages, choose <em>Change</em> and list them under{' '}
              <em>Advanced: limits, privacy, web pages</em>.
            </>
          ) : (
            <>
              To allow pages, list them in the agent’s manifest under{' '}
              <code>spec.widget.allowedOrigins</code>.
            </>
          )}
        </p>
      )}
    </section>
  );
}

const snippetOf = (id: string): string =>
  `<script src="${window.location.origin}/widget.js" data-agent="${id}" async></script>`;
