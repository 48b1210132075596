import type { ReactNode } from 'react';
import { useCan } from '../../data/me.ts';
import { Needing } from '../../ui/needing.tsx';
import { Page } from '../../ui/page.tsx';

/** A page that requires the `read` scope. Without this scope, it shows a single message and makes no requests. */
export function ReadPage({
  title,
  back,
  children,
}: {
  title: string;
  back?: { to: string; name: string };
  children: ReactNode;
}) {
  if (useCan('read')) return children;
  return (
    <Page title={title} {...(back && { back })}>
      <Needing scope="read">{null}</Needing>
    </Page>
  );
}
