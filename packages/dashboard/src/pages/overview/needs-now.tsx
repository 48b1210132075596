import type { ReactNode } from 'react';
import { Link } from '@tanstack/react-router';
import { TroubleNote } from '../../ui/trouble.tsx';
import { useNeeds, type Need } from './needs.tsx';

/** Lists what needs a person's attention now, most urgent first, or says that nothing does. */
export function NeedsNow() {
  const { needs, isLoading, errors, retry } = useNeeds();
  return (
    <section aria-labelledby="needs-now" className="stack-small">
      <h2 id="needs-now">Needs attention</h2>
      {errors.length === 0 ? null : <TroubleNote error={errors[0]} onRetry={retry} />}
      {needs.length > 0 ? (
        <ul className="card needs">
          {needs.map((need) => (
            <NeedLine key={need.key} need={need} />
          ))}
        </ul>
      ) : isLoading ? (
        <Calm>
          <span className="skeleton" />
        </Calm>
      ) : errors.length === 0 ? (
        <Calm>
          <strong className="all-right">All clear.</strong>{' '}
          <span className="muted">
            Nobody is waiting, all endpoints receive events, and all agents are ready.
          </span>
        </Calm>
      ) : null}
    </section>
  );
}

function Calm({ children }: { children: ReactNode }) {
  return (
    <p className="card" role="status">
      {children}
    </p>
  );
}

function NeedLine({ need: { tone, text, detail, to, act } }: { need: Need }) {
  return (
    <li className={`need need-${tone}`}>
      <p>
        <strong>{text}</strong> {detail ? <span className="muted">{detail}</span> : null}
      </p>
      <Link to={to} className="button button-small button-plain">
        {act}
      </Link>
    </li>
  );
}
