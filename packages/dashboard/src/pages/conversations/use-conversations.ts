import type { ListedConversation } from '../../data/conversations.ts';
import { useList, type List } from '../../data/use-list.ts';
import type { Search } from '../../ui/filters.tsx';

const SEARCHED_MS = 5_000;

/** Lists the conversations that match the filters in the address. */
export function useConversations(search: Search): List<ListedConversation> {
  // A text search reads many transcripts, so it is repeated at intervals and not after every event.
  const isSearch = search['q'] !== undefined;
  return useList(isSearch ? 'search' : 'conversations', '/v1/conversations', {
    query: search,
    ...(isSearch && { refreshMs: () => SEARCHED_MS }),
  });
}
