import { QueryClient } from '@tanstack/react-query';
import { ParleyError } from './parley.ts';

/** Key of the sign-in mutation. A 401 response to any other mutation means that the session has ended. */
export const SIGN_IN = 'sign-in';

/**
 * Creates the query cache of the tab. Events from the stream refresh it (live.ts). Without an event, data counts as
 * fresh for 15 seconds.
 */
export function createQueryClient(onSignedOut: () => void): QueryClient {
  const queryClient = new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 15_000,
        gcTime: 5 * 60_000,
        refetchOnWindowFocus: true,
        // Repeats a failed request at most twice. A response with 4xx, except 429, is final, because the API would
        // reject the same request again.
        retry: (count, error) => count < 2 && !isRefusal(error),
      },
    },
  });
  queryClient.getQueryCache().subscribe(({ type, query }) => {
    const isMe = query.queryKey[0] === 'me';
    if (type === 'updated' && !isMe && isSignedOut(query.state.error)) onSignedOut();
  });
  queryClient.getMutationCache().subscribe(({ mutation }) => {
    const isSigningIn = mutation?.options.mutationKey?.[0] === SIGN_IN;
    if (!isSigningIn && isSignedOut(mutation?.state.error)) onSignedOut();
  });
  return queryClient;
}

function isRefusal(error: unknown): boolean {
  return error instanceof ParleyError && error.status < 500 && error.status !== 429;
}

function isSignedOut(error: unknown): boolean {
  return error instanceof ParleyError && error.status === 401;
}
