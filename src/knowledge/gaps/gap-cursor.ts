import { z } from 'zod';
import { fromUuid, toUuid } from '../../ids.ts';
import { cursorOf, encodeCursor } from '../../platform/http/cursor.ts';
import { GAP_ORDERS, type GapOrder, type GapPlace, type ListedGap } from './list-gaps.sql.ts';

/** Cursors of the list of gaps: the position after a gap, in the order of the list. */

export const gapsOrder = z.enum(GAP_ORDERS).default('created').meta({
  description:
    '`created`: newest first; `count`: asked most often first; `last_asked_at`: last first.',
});

/** A cursor holds the id alone, like those of other lists, or the sort value followed by the id. */
export const gapCursor = cursorOf(readPlace);

export function placeIn(order: GapOrder): (gap: ListedGap) => string {
  return ({ id, count, lastAskedUs }) => {
    const gap = fromUuid('gap', id);
    if (order === 'created') return encodeCursor(gap);
    return encodeCursor(`${order}:${order === 'count' ? count : lastAskedUs}:${gap}`);
  };
}

function readPlace(text: string): GapPlace | undefined {
  const { order = 'created', value = '', gap } = PLACE.exec(text)?.groups ?? {};
  const id = toUuid('gap', gap ?? '');
  return id === null ? undefined : { order: order as GapOrder, value, id };
}

/** Microseconds since 1970 have 16 digits until the year 2286. A count is a PostgreSQL integer. */
const PLACE =
  /^(?:(?<order>count|last_asked_at):(?<value>(?<=count:)[1-9][0-9]{0,8}|(?<=at:)[1-9][0-9]{0,15}):)?(?<gap>gap_.+)$/;
