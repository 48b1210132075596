import { Link } from '@tanstack/react-router';

/** Links to the customer's page. Shows a dash if `userId` is null. */
export function CustomerLink({ userId }: { userId: string | null }) {
  if (userId === null) return <span className="muted">–</span>;
  // Browsers resolve these two names in a path as folders, so no link can lead to such a customer.
  if (userId === '.' || userId === '..') return userId;
  return (
    <Link to="/customers/$userId" params={{ userId } as never}>
      {userId}
    </Link>
  );
}
