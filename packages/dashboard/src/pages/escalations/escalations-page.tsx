import { useParams } from '@tanstack/react-router';
import { Needing } from '../../ui/needing.tsx';
import { Page } from '../../ui/page.tsx';
import { Inbox } from './inbox.tsx';

export function EscalationsPage() {
  const { escalationId } = useParams({ strict: false }) as { escalationId?: string };
  return (
    <Page title="Escalations">
      <Needing scope="read">
        <Inbox selectedId={escalationId ?? null} />
      </Needing>
    </Page>
  );
}
