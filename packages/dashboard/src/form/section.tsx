import { useEffect, useRef, type ReactNode } from 'react';

/** A collapsible section of a form. It opens when one of its fields has an error. */
export function Section({
  title,
  failure,
  isWanted = false,
  children,
}: {
  title: string;
  /** The error of the form's last request. */
  failure: unknown;
  /** Opens the section initially and scrolls to it. */
  isWanted?: boolean;
  children: ReactNode;
}) {
  const details = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    const { current } = details;
    if (current?.querySelector('[aria-invalid], .problem')) current.open = true;
  }, [failure]);
  useEffect(() => {
    if (isWanted) details.current?.scrollIntoView({ block: 'center' });
  }, [isWanted]);
  return (
    <details className="card" ref={details} open={isWanted}>
      <summary>{title}</summary>
      <div className="stack details-body">{children}</div>
    </details>
  );
}
