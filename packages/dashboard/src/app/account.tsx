import { useMutation } from '@tanstack/react-query';
import { useId } from 'react';
import { Button } from '../ui/button.tsx';
import { useToast } from '../ui/toast.tsx';
import { troubleOf } from '../data/parley.ts';
import { useMe } from '../data/me.ts';
import { signOut } from './sign-out.ts';
import { ThemeChoice } from './theme.tsx';

/** Shows the signed-in account: name, namespace, scopes, theme and a button to sign out. */
export function Account() {
  const me = useMe();
  const id = useId();
  const toast = useToast();
  const leaving = useMutation({
    mutationFn: () => signOut(me),
    onSuccess: () => window.location.reload(),
    onError: (error) => toast({ text: troubleOf(error).detail, tone: 'bad' }),
  });
  return (
    <>
      <button type="button" className="button button-quiet account" popoverTarget={id}>
        {me.name ?? me.actor}
      </button>
      <div id={id} popover="auto" className="account-card card stack">
        <dl className="facts small">
          <dt>Name</dt>
          <dd>{me.name ?? '–'}</dd>
          <dt>Namespace</dt>
          <dd>{me.namespace}</dd>
          <dt>Scopes</dt>
          <dd>{me.scopes.join(', ')}</dd>
          <dt>Version</dt>
          <dd>{me.version}</dd>
        </dl>
        <ThemeChoice />
        <p className="small">
          <a href="/docs">API reference</a>
        </p>
        <Button isBusy={leaving.isPending} onClick={() => leaving.mutate()}>
          Sign out
        </Button>
      </div>
    </>
  );
}
