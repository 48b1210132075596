import { useId, type ReactNode } from 'react';
import './field.css';

type Control = { id: string; 'aria-describedby'?: string; 'aria-invalid'?: true };

/**
 * A control with its label, hint and error. The child receives the control's attributes: `{(control) => <input
 * {...control} … />}`.
 */
export function Field({
  label,
  hint,
  error,
  children,
}: {
  label: ReactNode;
  hint?: ReactNode;
  error?: string | undefined;
  children: (control: Control) => ReactNode;
}) {
  const id = useId();
  const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ');
  const control: Control = {
    id,
    ...(described && { 'aria-describedby': described }),
    ...(error && { 'aria-invalid': true }),
  };
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children(control)}
      {hint ? (
        <p id={`${id}-hint`} className="muted small">
          {hint}
        </p>
      ) : null}
      {error ? (
        <p id={`${id}-error`} className="problem small">
          {error}
        </p>
      ) : null}
    </div>
  );
}
