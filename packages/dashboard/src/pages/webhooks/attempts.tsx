import type { ReactNode } from 'react';
import type { Attempt, Delivery } from '../../data/webhooks.ts';
import { Json } from '../../ui/code.tsx';
import { Status } from '../../ui/status.tsx';
import { msText, Time, Waiting } from '../../ui/time.tsx';
import { remedyOf } from './remedies.ts';
import { answerOf, NextAttempt, WhyLate } from './states.tsx';

/** Lists the attempts, newest first. Above the list, shows the attempt in progress or the time of the next attempt. */
export function Attempts({ delivery }: { delivery: Delivery }) {
  const { attempts } = delivery;
  return (
    <ol className="attempts">
      <Coming delivery={delivery} />
      {attempts.toReversed().map((attempt, at) => (
        <AttemptItem key={attempt.number} attempt={attempt} isOpen={at === 0} />
      ))}
    </ol>
  );
}

/** Shows the attempt in progress, or the time of the next attempt. */
function Coming({ delivery }: { delivery: Delivery }) {
  const { in_flight_since: since, next_attempt_at: next, attempt_count: made } = delivery;
  if (since !== null) {
    return (
      <ComingItem name={`Attempt ${made + 1}`}>
        <Status tone="info">in flight</Status> for <Waiting at={since} />
      </ComingItem>
    );
  }
  if (next === null) return null;
  return (
    <ComingItem name={`Attempt ${made + 1}`}>
      <span title={new Date(next * 1_000).toString()}>
        <NextAttempt at={next} />
      </span>
      <WhyLate delivery={delivery} at={next} />
    </ComingItem>
  );
}

function ComingItem({ name, children }: { name: string; children: ReactNode }) {
  return (
    <li className="attempt attempt-coming" aria-live="polite">
      <div className="attempt-line">
        <strong>{name}</strong>
        <span className="row">{children}</span>
      </div>
    </li>
  );
}

function AttemptItem({ attempt, isOpen }: { attempt: Attempt; isOpen: boolean }) {
  const isGood = attempt.error_class === null;
  return (
    <li className={`attempt attempt-${isGood ? 'good' : 'bad'}`}>
      <details open={isOpen}>
        <summary className="attempt-line">
          <strong>Attempt {attempt.number}</strong>
          <Status tone={isGood ? 'ok' : 'bad'}>{answerOf(attempt)}</Status>
          <span className="numeric">{msText(attempt.duration_ms)}</span>
          <Time at={attempt.started_at} />
          <span className="muted small">{TRIGGERS[attempt.trigger]}</span>
        </summary>
        <div className="stack-small attempt-body">
          <Outcome attempt={attempt} />
        </div>
      </details>
    </li>
  );
}

const TRIGGERS = {
  schedule: 'scheduled',
  manual: 'manual',
  replay: 'replay',
  test: 'test',
} as const satisfies Record<Attempt['trigger'], string>;

/** Shows the result of an attempt: the error with its remedy, and the receiver's response. */
export function Outcome({ attempt }: { attempt: Attempt }) {
  const { error_message: message, response_body: body } = attempt;
  return (
    <>
      <RemedyNote attempt={attempt} />
      {message ? <p className="mono preserved">{message}</p> : null}
      {body ? (
        <>
          <h3 className="small muted">Response</h3>
          <Json value={body} label={`Response to attempt ${attempt.number}`} />
        </>
      ) : (
        <p className="muted small">{body === '' ? 'The response had no body.' : 'No response.'}</p>
      )}
    </>
  );
}

function RemedyNote({ attempt }: { attempt: Attempt }) {
  const found = remedyOf(attempt);
  if (!found) return null;
  return (
    <p>
      <strong>{found.means}</strong> {found.remedy}
    </p>
  );
}
