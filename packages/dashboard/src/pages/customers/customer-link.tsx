import { Link } from '@tanstack/react-router';

/** Links to the customer's page. Shows a dash if `userId` is null. */
export function CustomerLink({ userId }: { userId: string | null }) {
  if (userId === null) return <span className="muted">–</span>;
  // In a path, browsers resolve `.` and `..` as folders, so no link can lead to a customer with one of these IDs.
  if (userId === '.' || userId === '..') return userId;
  return (
    <Link to="/customers/$userId" params={{ userId } as never}>
      {userId}
    </Link>
  );
}
