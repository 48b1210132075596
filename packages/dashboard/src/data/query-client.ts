import { QueryClient } from '@tanstack/react-query';
import { ParleyError } from './parley.ts';

/** Key of the one mutation whose refusal does not mean that a session has ended. */
export const SIGN_IN = 'sign-in';

/**
 * One cache a tab. What the stream tells of is read again when it is told (live.ts); between that,
 * data is as fresh as it was read.
 */
export function createQueryClient(onSignedOut: () => void): QueryClient {
  const queryClient = new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 15_000,
        gcTime: 5 * 60_000,
        refetchOnWindowFocus: true,
        // A refusal does not become right by being asked again.
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
