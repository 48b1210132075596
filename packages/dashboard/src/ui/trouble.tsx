import { ParleyError, troubleOf } from '../data/parley.ts';
import { Button } from './button.tsx';
import { CopyId } from './copy-id.tsx';
import './trouble.css';

/** Shows an error in the API's words, with the request ID for support and a button to try again. */
export function TroubleNote({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const { title, detail, requestId } = troubleOf(error);
  // Trying again cannot help if the object does not exist.
  const isMissing = error instanceof ParleyError && error.status === 404;
  return (
    <div className="trouble" role="alert">
      <p>
        <strong>{title}.</strong> {detail}
      </p>
      <div className="row">
        {onRetry && !isMissing ? (
          <Button size="small" onClick={onRetry}>
            Try again
          </Button>
        ) : null}
        {requestId ? (
          <span className="small">
            Request <CopyId id={requestId} />
          </span>
        ) : null}
      </div>
    </div>
  );
}
