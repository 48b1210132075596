import { useEffect, useEffectEvent, useRef, useState, type ReactNode } from 'react';
import { useMutation } from '@tanstack/react-query';
import { isCode, ok, parley, troubleOf } from '../data/parley.ts';
import { SIGN_IN } from '../data/query-client.ts';
import { Button } from '../ui/button.tsx';
import { Field } from '../ui/field.tsx';
import { Mark } from './icons.tsx';
import { rememberName, rememberedName } from './own-name.ts';
import './sign-in.css';

type Credential = { api_key: string; name: string } | { sign_in_token: string; name?: string };

/** Starts a session with an API key or with the sign-in link of `parley start`. */
export function SignIn({ token, onDone }: { token: string | null; onDone: () => void }) {
  const signIn = useMutation({
    mutationKey: [SIGN_IN],
    mutationFn: (body: Credential) => ok(parley.POST('/v1/sessions', { body })),
    onSuccess: (_, { name = '' }) => {
      rememberName(name);
      onDone();
    },
  });
  const { error, isPending: isBusy, mutate: onSubmit } = signIn;
  /** The error with which the API rejected the sign-in link. */
  const [refusal, setRefusal] = useState<unknown>(null);
  if (token !== null && refusal === null && isCode(error, 'unauthorized')) setRefusal(error);
  const [name, setName] = useState(rememberedName);
  const by = { name, setName, error, isBusy, onSubmit };
  return (
    <Over>
      {token === null ? (
        <ByKey {...by} hint="Sign in with an API key. Its scopes decide what you can do here." />
      ) : refusal !== null ? (
        <ByKey
          {...by}
          error={error === refusal ? null : error}
          hint="This sign-in link has been used or has expired. Start Parley again for a new one, or sign in with an API key."
        />
      ) : (
        <ByLink {...by} token={token} />
      )}
    </Over>
  );
}

type By = {
  name: string;
  setName: (name: string) => void;
  error: unknown;
  isBusy: boolean;
  onSubmit: (credential: Credential) => void;
};

/**
 * Signs in with a link. Asks for a name unless this browser remembers one, because the link carries only the name of
 * the operating-system user that started Parley. Customers see the name when the signed-in person takes over a
 * conversation.
 */
function ByLink({ token, name, setName, error, isBusy, onSubmit }: By & { token: string }) {
  const [remembered] = useState(name);
  const redeemed = useRef(false);
  const redeem = useEffectEvent(() => onSubmit({ sign_in_token: token, name: remembered }));
  useEffect(() => {
    if (remembered === '' || redeemed.current) return;
    redeemed.current = true; // The token works only once.
    redeem();
  }, [remembered]);
  if (remembered !== '' && !error) return <p role="status">Signing you in…</p>;
  const given = plain(name);
  return (
    <div className="card stack">
      <h1>Welcome to Parley</h1>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          onSubmit({ sign_in_token: token, ...(given !== '' && { name: given }) });
        }}
      >
        <NameField value={name} onChange={setName} isRequired={false} />
        <Refusal error={error} />
        <Button type="submit" kind="primary" isBusy={isBusy}>
          Continue
        </Button>
      </form>
    </div>
  );
}

function ByKey({ hint, name, setName, error, isBusy, onSubmit }: By & { hint: string }) {
  const [key, setKey] = useState('');
  return (
    <div className="card stack">
      <h1 className="brand">
        <Mark />
        Parley
      </h1>
      <p className="muted">{hint}</p>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          onSubmit({ api_key: key.trim(), name: plain(name) });
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
        <NameField value={name} onChange={setName} isRequired />
        <Refusal error={error} />
        <Button type="submit" kind="primary" isBusy={isBusy}>
          Sign in
        </Button>
      </form>
    </div>
  );
}

/** Trims the name and replaces each run of whitespace with one space, as the API requires. */
function plain(name: string): string {
  return name.trim().replaceAll(/\s+/g, ' ');
}

function Refusal({ error }: { error: unknown }) {
  if (!error) return null;
  return (
    <p className="problem" role="alert">
      {troubleOf(error).detail}
    </p>
  );
}

function NameField({
  value,
  onChange,
  isRequired,
}: {
  value: string;
  onChange: (name: string) => void;
  isRequired: boolean;
}) {
  return (
    <Field
      label="Your name"
      hint="Shown to colleagues next to your actions, and to customers when you take over a conversation."
    >
      {(control) => (
        <input
          {...control}
          autoComplete="name"
          required={isRequired}
          maxLength={64}
          value={value}
          onChange={({ target }) => onChange(target.value)}
        />
      )}
    </Field>
  );
}

/**
 * Shows the sign-in form above everything else, including open dialogs. The page below is inert, and only a successful
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
