import { useEffect, useState } from 'react';
import { useCan } from '../../data/me.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { useSteps, type Step } from './steps.ts';

const HIDDEN = 'parley-first-steps';

/** Shows the steps for setting up an agent that serves customers, until all are done or the list is hidden. */
export function FirstSteps() {
  const [isHidden, setIsHidden] = useState(() => localStorage.getItem(HIDDEN) !== null);
  if (isHidden) return null;
  const hide = (): void => {
    localStorage.setItem(HIDDEN, '1');
    setIsHidden(true);
  };
  return <Checklist onHide={hide} />;
}

function Checklist({ onHide }: { onHide: () => void }) {
  const steps = useSteps();
  const done = steps?.filter(({ isDone }) => isDone).length;
  const isOver = done !== undefined && done === steps?.length;
  // Remembers that all steps are done, so that later visits do not check them again.
  useEffect(() => {
    if (isOver) localStorage.setItem(HIDDEN, '1');
  }, [isOver]);
  if (steps === undefined || isOver) return null;
  const next = steps.find(({ isDone }) => !isDone);
  return (
    <section className="card stack-small first-steps" aria-labelledby="first-steps">
      <div className="spread">
        <h2 id="first-steps">Get started</h2>
        <div className="row">
          <span className="muted small">
            {done} of {steps.length} done
          </span>
          <Button kind="quiet" size="small" onClick={onHide}>
            Hide
          </Button>
        </div>
      </div>
      <ol>
        {steps.map((step) => (
          <StepLine key={step.title} step={step} isNext={step === next} />
        ))}
      </ol>
    </section>
  );
}

function StepLine({ step, isNext }: { step: Step; isNext: boolean }) {
  const canAct = useCan(step.needs);
  const { title, isDone, why, act, to, search } = step;
  return (
    <li className={isDone ? 'step step-done' : 'step'}>
      <span className="step-mark" aria-hidden="true">
        {isDone ? '✓' : ''}
      </span>
      <p>
        <strong>{title}</strong>
        <span className="unseen">{isDone ? ' (done)' : ''}</span>{' '}
        {isDone ? null : <span className="muted">{why}</span>}
      </p>
      {!isDone && canAct && to !== undefined ? (
        <ButtonLink
          kind={isNext ? 'primary' : 'plain'}
          size="small"
          to={to}
          search={search as never}
        >
          {act}
        </ButtonLink>
      ) : null}
    </li>
  );
}
