import type { Agent } from '../../data/parley.ts';
import { useCan } from '../../data/me.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { Code } from '../../ui/code.tsx';

/** Shows how to embed the agent in a web page, and which pages may embed it. */
export function Embed({ agent: { id, widget, managed_by: manager } }: { agent: Agent }) {
  const mayChange = useCan('write') && manager === 'api';
  return (
    <section className="card stack-small">
      <header className="spread">
        <h2>On web pages</h2>
        {mayChange ? (
          <ButtonLink to="." search={{ edit: 'widget' } as never} resetScroll={false}>
            {widget ? 'Change the pages' : 'Allow web pages'}
          </ButtonLink>
        ) : null}
      </header>
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
            'Allow your pages, then copy the script that appears here.'
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
