import { Link } from '@tanstack/react-router';
import { placeOf } from '../data/places.ts';
import { CopyId, shortId } from './copy-id.tsx';

/** Links an id to the page of its object. An id without a page is copied on a click. */
export function Thing({ id }: { id: string }) {
  const place = placeOf(id);
  if (place === undefined) return <CopyId id={id} />;
  return (
    <Link to={place} className="mono" title={id}>
      {shortId(id)}
    </Link>
  );
}
