import type { ComponentProps, ReactNode } from 'react';
import { Link } from '@tanstack/react-router';
import { useMe, type Scope } from '../data/me.ts';
import './button.css';

type Look = { kind?: 'primary' | 'danger' | 'plain' | 'quiet'; size?: 'small' };

export type ButtonProps = ComponentProps<'button'> &
  Look & {
    /** Whether the action is in progress. During the action, the button is disabled and marked as busy. */
    isBusy?: boolean;
  };

export function Button({
  kind = 'plain',
  size,
  isBusy,
  className,
  children,
  ...rest
}: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      className={classes(kind, size, className)}
      aria-busy={isBusy || undefined}
      disabled={rest.disabled || isBusy}
    >
      {children}
    </button>
  );
}

/**
 * A button for an action that requires a scope. If the session lacks the scope, the button is disabled and its tooltip
 * names the missing scope.
 */
export function ActButton({ needs, ...button }: ButtonProps & { needs: Scope | readonly Scope[] }) {
  const { scopes } = useMe();
  const missing = [needs].flat().filter((scope) => !scopes.includes(scope));
  if (missing.length === 0) return <Button {...button} />;
  const why = `Your API key lacks the scope ${missing.join(', ')}`;
  return <Button {...button} disabled title={why} data-needs={missing.join(' ')} />;
}

/** A link that looks like a button, for actions that only navigate. */
export function ButtonLink({
  kind = 'plain',
  size,
  children,
  ...link
}: ComponentProps<typeof Link> & Look & { children: ReactNode }) {
  return (
    <Link {...link} className={classes(kind, size, undefined)}>
      {children}
    </Link>
  );
}

function classes(kind: string, size: string | undefined, more: string | undefined): string {
  return ['button', `button-${kind}`, size && `button-${size}`, more].filter(Boolean).join(' ');
}
