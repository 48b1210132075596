import { z } from 'zod';
import { readRecall, type AgentRecall } from '../agents/recalls/recalls.sql.ts';
import { requireAgent } from '../agents/write-agent.ts';
import {
  listConversationsOfVersions,
  listToolCallsOfVersions,
  listUsersOfVersions,
  type CallPlace,
} from '../conversations/conversations-of-versions.sql.ts';
import { found } from '../errors.ts';
import { fromUuid, toUuid } from '../ids.ts';
import {
  cursorOf,
  encodeCursor,
  LIMIT_DEFAULT,
  pageLimit,
  pageOf,
  pageSchema,
} from '../platform/http/cursor.ts';
import { idParam } from '../platform/http/fields.ts';
import { LINES_TYPE, requireLinesOnly, visiblyBroken } from '../platform/http/lines.ts';
import { route, type Route } from '../platform/http/route.ts';
import { namesType } from '../platform/http/sse.ts';
import type { Pool } from '../platform/postgres/pool.ts';
import {
  conversationItem,
  RecalledConversation,
  RecalledToolCall,
  RecalledUser,
  toolCallItem,
  userItem,
} from './recall.view.ts';

type Deps = { pool: Pool };

/**
 * Describes one of the lists of a recall: how its items are represented, and how a page is read. `Place` is a position
 * in the list.
 */
type RecallList<Row, Place> = {
  name: 'conversations' | 'users' | 'tool_calls';
  operationId: string;
  summary: string;
  item: z.ZodType;
  view: (row: Row) => z.output<z.ZodType>;
  placeOf: (row: Row) => Place;
  read: (
    pool: Pool,
    of: AgentRecall,
    page: { after: Place | undefined; limit: number },
  ) => Promise<Row[]>;
  /**
   * Converts a position to the text of a cursor. `parse` converts it back, or returns undefined if the text is invalid.
   */
  write: (place: Place) => string;
  parse: (text: string) => Place | undefined;
};

/** Returns the routes that list what recalled versions did (contract/recalls.md#lists). */
export function recallListRoutes(deps: Deps): Route[] {
  return [
    recallListRoute(deps, {
      name: 'conversations',
      operationId: 'listRecalledConversations',
      summary: 'List the conversations with recalled versions, newest first',
      item: RecalledConversation,
      view: conversationItem,
      placeOf: ({ id }) => id,
      read: (pool, of, { after: before, limit }) =>
        listConversationsOfVersions(pool, { ...of, before, limit }),
      ...inList('recalled'),
    }),
    recallListRoute(deps, {
      name: 'users',
      operationId: 'listRecalledUsers',
      summary: 'List the users of recalled versions, sorted by their newest conversation',
      item: RecalledUser,
      view: userItem,
      placeOf: ({ id }) => id,
      read: (pool, of, { after: before, limit }) =>
        listUsersOfVersions(pool, { ...of, before, limit }),
      ...inList('recalled_users'),
    }),
    recallListRoute(deps, {
      name: 'tool_calls',
      operationId: 'listRecalledToolCalls',
      summary: 'List the tool calls of recalled versions, newest conversation first',
      item: RecalledToolCall,
      view: toolCallItem,
      placeOf: ({ id, index }): CallPlace => ({ id, index }),
      read: (pool, of, page) => listToolCallsOfVersions(pool, { ...of, ...page }),
      write: ({ id, index }) => `recalled_calls:${fromUuid('conv', id)}:${index}`,
      parse: callPlaceIn,
    }),
  ];
}

function inList(list: string) {
  return {
    write: (id: string) => `${list}:${fromUuid('conv', id)}`,
    parse: (text: string) =>
      text.startsWith(`${list}:`)
        ? (toUuid('conv', text.slice(list.length + 1)) ?? undefined)
        : undefined,
  };
}

function callPlaceIn(text: string): CallPlace | undefined {
  const [list, conversation = '', index = ''] = text.split(':');
  const id = toUuid('conv', conversation);
  if (list !== 'recalled_calls' || id === null || !/^\d{1,9}$/.test(index)) return undefined;
  return { id, index: Number(index) };
}

/** Number of items that an export reads per query. */
const EXPORTED = 1_000;
/** Number of tool calls that an export reads per query. Each call has up to 96 KiB. */
const EXPORTED_CALLS = 50;

function recallListRoute<Row, Place>({ pool }: Deps, list: RecallList<Row, Place>): Route {
  const { name, operationId, summary, item } = list;
  return route({
    method: 'get',
    path: `/v1/agents/{id}/recalls/{recall_id}/${name}`,
    operationId,
    tag: 'Recalls',
    scope: 'read',
    summary,
    description:
      'Includes conversations that were handed over to a recalled version. Excludes test ' +
      'conversations. With the header `Accept: application/x-ndjson`, the response is the ' +
      'whole list without pages, with one line of JSON per item.',
    params: { id: idParam('agt', 'agent'), recall_id: idParam('rcl', 'recall') },
    query: {
      limit: pageLimit
        .unwrap()
        .optional()
        .meta(pageLimit.meta() ?? {}),
      cursor: cursorOf(list.parse),
    },
    answers: {
      200: {
        description: 'A page of the list, or the whole list as lines of JSON.',
        schema: pageSchema(item),
        forms: { [LINES_TYPE]: z.string() },
      },
    },
    handle: async ({ caller: { namespace, requestId }, params, query, headers }) => {
      const { id: agentId } = await requireAgent({ pool }, { namespace, id: params.id });
      const recall = found(await readRecall(pool, { agentId, id: params.recall_id }), 'recall');
      if (namesType(headers['accept'], LINES_TYPE)) {
        requireLinesOnly(query);
        const text = visiblyBroken(linesOf(pool, recall, list, query.cursor), requestId);
        return { status: 200, mediaType: LINES_TYPE, text };
      }
      const { limit = LIMIT_DEFAULT, cursor: after } = query;
      const rows = await list.read(pool, recall, { after, limit: limit + 1 });
      const cursorAt = (row: Row): string => encodeCursor(list.write(list.placeOf(row)));
      return { status: 200, body: pageOf(rows, { limit, view: list.view, cursorOf: cursorAt }) };
    },
  });
}

/**
 * Yields the items of a list after `from` as lines of JSON, page by page. Each page is read on demand, and no database
 * connection is held between pages.
 */
async function* linesOf<Row, Place>(
  pool: Pool,
  recall: AgentRecall,
  list: RecallList<Row, Place>,
  from: Place | undefined,
): AsyncGenerator<string> {
  const limit = list.name === 'tool_calls' ? EXPORTED_CALLS : EXPORTED;
  let after = from;
  for (;;) {
    const rows = await list.read(pool, recall, { after, limit });
    if (rows.length > 0) yield rows.map((row) => `${JSON.stringify(list.view(row))}\n`).join('');
    const last = rows.at(-1);
    if (last === undefined || rows.length < limit) return;
    after = list.placeOf(last);
  }
}
