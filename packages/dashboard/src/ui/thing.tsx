import { Link } from '@tanstack/react-router';
import { placeOf } from '../data/places.ts';
import { CopyId, shortId } from './copy-id.tsx';

/** An id that leads to the page of what it names; one that has none is copied by a click. */
export function Thing({ id }: { id: string }) {
  const place = placeOf(id);
  if (place === undefined) return <CopyId id={id} />;
  return (
    <Link to={place} className="mono" title={id}>
      {shortId(id)}
    </Link>
  );
}
