import { Link } from '@tanstack/react-router';

/** Links a user to the page of the customer. Null shows a dash. */
export function CustomerLink({ userId }: { userId: string | null }) {
  if (userId === null) return <span className="muted">–</span>;
  // A path cannot contain these two names: browsers read them as folders.
  if (userId === '.' || userId === '..') return userId;
  return (
    <Link to="/customers/$userId" params={{ userId } as never}>
      {userId}
    </Link>
  );
}
