import { useEffect, useState } from 'react';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { createLive, type Live } from '../data/live.ts';
import { createQueryClient } from '../data/query-client.ts';
import { Toasts } from '../ui/toast.tsx';
import { LiveContext } from '../data/live-context.ts';
import { loadAllPages, router } from './router.tsx';
import { SessionGate } from './session.tsx';

/**
 * Renders the app. From the outside in, it consists of the query cache, the toasts, the sign-in, the event stream and
 * the current page.
 */
export function App() {
  const [queryClient] = useState(() =>
    createQueryClient(
      () => void queryClient.invalidateQueries({ queryKey: ['me'] }, { cancelRefetch: false }),
    ),
  );
  const [live] = useState(() => createLive(queryClient));
  return (
    <QueryClientProvider client={queryClient}>
      <Toasts>
        <SessionGate>
          <Following live={live}>
            <RouterProvider router={router} />
          </Following>
        </SessionGate>
      </Toasts>
    </QueryClientProvider>
  );
}

function Following({ live, children }: { live: Live; children: React.ReactNode }) {
  useEffect(() => {
    live.start();
    const endLoading = loadAllPages();
    return () => {
      endLoading();
      live.stop();
    };
  }, [live]);
  return <LiveContext value={live}>{children}</LiveContext>;
}
