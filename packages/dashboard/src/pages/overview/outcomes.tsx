import { Link } from '@tanstack/react-router';
import { OUTCOME_COLORS, OUTCOMES, useStats } from '../../data/stats.ts';
import { count, percent } from '../../ui/figure.tsx';
import { TroubleNote } from '../../ui/trouble.tsx';

const colorOf = (name: keyof typeof OUTCOME_COLORS) => ({
  background: `var(${OUTCOME_COLORS[name]})`,
});

/** Shows the conversations of the last 24 hours by outcome. */
export function Outcomes() {
  const { data, error, refetch } = useStats(1);
  const total = data?.total;
  return (
    <section className="card stack-small" aria-labelledby="outcomes">
      <div className="spread">
        <h2 id="outcomes">Conversations</h2>
        <span className="muted small">
          last 24 hours · <Link to="/analytics">Trends</Link>
        </span>
      </div>
      {error ? <TroubleNote error={error} onRetry={() => void refetch()} /> : null}
      {total ? (
        <>
          <p>
            <strong className="numeric overview-number">{count(total.conversations)}</strong>{' '}
            <span className="muted">
              {count(total.active)} in progress, {percent(total.resolution_rate)} of ended
              conversations resolved
            </span>
          </p>
          {total.ended > 0 ? (
            <div className="outcome-bar" aria-hidden="true">
              {OUTCOMES.filter((name) => total[name] > 0).map((name) => (
                <span
                  key={name}
                  className="outcome"
                  style={{ ...colorOf(name), flexGrow: total[name] }}
                />
              ))}
            </div>
          ) : null}
          <ul className="outcomes">
            {OUTCOMES.filter((name) => total[name] > 0).map((name) => (
              <li key={name}>
                <span className="outcome-dot" style={colorOf(name)} aria-hidden="true" />
                <Link to="/conversations" search={{ outcome: name }}>
                  {name}
                </Link>
                <span className="numeric">{count(total[name])}</span>
              </li>
            ))}
          </ul>
        </>
      ) : error ? null : (
        <span className="skeleton" />
      )}
    </section>
  );
}
