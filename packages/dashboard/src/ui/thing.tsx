import { Link } from '@tanstack/react-router';
import { placeOf } from '../data/places.ts';
import { CopyId, shortId } from './copy-id.tsx';

/** Links an ID to the page of its object. If there is no such page, a click copies the ID. */
export function Thing({ id }: { id: string }) {
  const place = placeOf(id);
  if (place === undefined) return <CopyId id={id} />;
  return (
    <Link to={place} className="mono" title={id}>
      {shortId(id)}
    </Link>
  );
}
