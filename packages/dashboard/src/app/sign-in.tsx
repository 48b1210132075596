import { useEffect, useRef, useState, type ReactNode } from 'react';
import { useMutation } from '@tanstack/react-query';
import { ok, parley, troubleOf } from '../data/parley.ts';
import { SIGN_IN } from '../data/query-client.ts';
import { Button } from '../ui/button.tsx';
import { Field } from '../ui/field.tsx';
import { Mark } from './icons.tsx';
import './sign-in.css';

type Credential = { api_key: string; name: string } | { sign_in_token: string };

/** Starts a session with an API key or with the sign-in link of `parley start`. */
export function SignIn({ token, onDone }: { token: string | null; onDone: () => void }) {
  const [key, setKey] = useState('');
  const [name, setName] = useState('');
  const signIn = useMutation({
    mutationKey: [SIGN_IN],
    mutationFn: (body: Credential) => ok(parley.POST('/v1/sessions', { body })),
    onSuccess: onDone,
  });
  const redeemed = useRef(false);
  useEffect(() => {
    if (token === null || redeemed.current) return;
    redeemed.current = true; // The token works only once.
    signIn.mutate({ sign_in_token: token });
  }, [token, signIn]);

  if (token !== null && !signIn.error) {
    return (
      <Over>
        <p role="status">Signing you in…</p>
      </Over>
    );
  }
  return (
    <Over>
      <div className="card stack">
        <h1 className="brand">
          <Mark />
          Parley
        </h1>
        <p className="muted">
          {token === null
            ? 'Sign in with an API key. Its scopes decide what you can do here.'
            : 'This sign-in link has been used or has expired. Start Parley again for a new one, or sign in with an API key.'}
        </p>
        <form
          className="stack"
          onSubmit={(event) => {
            event.preventDefault();
            signIn.mutate({ api_key: key.trim(), name: name.trim() });
          }}
        >
          <Field label="API key" hint="Starts with parley_. Parley prints the key when it starts.">
            {(control) => (
              <input
                {...control}
                type="password"
                autoComplete="current-password"
                required
                value={key}
                onChange={({ target }) => setKey(target.value)}
              />
            )}
          </Field>
          <Field label="Your name" hint="Shown to others next to your actions.">
            {(control) => (
              <input
                {...control}
                autoComplete="name"
                required
                maxLength={64}
                value={name}
                onChange={({ target }) => setName(target.value)}
              />
            )}
          </Field>
          {signIn.error && token === null ? (
            <p className="problem" role="alert">
              {troubleOf(signIn.error).detail}
            </p>
          ) : null}
          <Button type="submit" kind="primary" isBusy={signIn.isPending}>
            Sign in
          </Button>
        </form>
      </div>
    </Over>
  );
}

/**
 * Shows the sign-in above everything else, including open dialogs. The page below is inert, and only a successful
 * sign-in closes this dialog.
 */
function Over({ children }: { children: ReactNode }) {
  const ref = useRef<HTMLDialogElement>(null);
  useEffect(() => ref.current?.showModal(), []);
  return (
    <dialog
      ref={ref}
      className="sign-in"
      aria-label="Sign in"
      onCancel={(event) => event.preventDefault()}
      onKeyDown={(event) => {
        // Browsers close a dialog on the second Escape in a row, even if `onCancel` prevents it.
        if (event.key === 'Escape') event.preventDefault();
      }}
    >
      {children}
    </dialog>
  );
}
