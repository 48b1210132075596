import { lazy, Suspense, useState, type ReactNode } from 'react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { MeContext, type Me } from '../data/me.ts';
import { isCode, ok, parley } from '../data/parley.ts';
import { TroubleNote } from '../ui/trouble.tsx';
import { takeSignInToken } from './sign-in-token.ts';

const SignIn = lazy(async () => ({ default: (await import('./sign-in.tsx')).SignIn }));

/**
 * One-time token from the sign-in link. It is read and removed from the address before anything else happens, because
 * it must not be displayed or stored.
 */
const given = takeSignInToken();

/**
 * Shows the sign-in form instead of the page while nobody is signed in. The address stays the same, so that the
 * requested page appears after the sign-in. If a session ends while somebody is working, the sign-in form covers the
 * page, and the text typed so far is kept.
 */
export function SessionGate({ children }: { children: ReactNode }) {
  const [token, setToken] = useState(given);
  const queryClient = useQueryClient();
  const me = useQuery({
    queryKey: ['me'],
    enabled: token === null,
    queryFn: ({ signal }) => ok(parley.GET('/v1/me', { signal })),
  });
  const isSignedOut = token !== null || isCode(me.error, 'unauthorized');
  const goOn = async (): Promise<void> => {
    const before = me.data;
    setToken(null);
    const { data: now } = await me.refetch();
    // Reloads the page, because data that was loaded for one person must not be shown to another.
    if (before && now && !isSame(before, now)) window.location.reload();
    else await queryClient.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'me' });
  };
  return (
    <>
      {me.data ? (
        <div inert={isSignedOut}>
          <MeContext value={me.data}>{children}</MeContext>
        </div>
      ) : null}
      {isSignedOut ? (
        <Suspense>
          <SignIn token={token} onDone={() => void goOn()} />
        </Suspense>
      ) : null}
      {me.data || isSignedOut ? null : (
        <Starting error={me.error} onRetry={() => void me.refetch()} />
      )}
    </>
  );
}

function isSame(before: Me, now: Me): boolean {
  const told = ({ namespace, name, scopes }: Me): string =>
    JSON.stringify([namespace, name, scopes]);
  return told(before) === told(now);
}

function Starting({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  if (!error) {
    return (
      <p className="unseen" role="status">
        Loading
      </p>
    );
  }
  return (
    <main className="page">
      <TroubleNote error={error} onRetry={onRetry} />
    </main>
  );
}
