import { useState } from 'react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useSelf, type Escalation } from '../../data/escalations.ts';
import { ok, parley } from '../../data/parley.ts';
import { transcriptKey, type Transcript, type Turn } from '../../data/conversations.ts';

type Unsent = { key: string; text: string; error: unknown };

/**
 * Sends replies to the user in the order in which they were written. A failed reply can be sent again under the same
 * idempotency key, so that the user never reads it twice.
 */
export function useSaying({ id, conversation_id: conversationId }: Escalation) {
  const queryClient = useQueryClient();
  const { id: by } = useSelf();
  const [unsent, setUnsent] = useState<readonly Unsent[]>([]);
  const forget = (key: string): void => {
    setUnsent((all) => all.filter((one) => one.key !== key));
  };
  const failed = (key: string, error: unknown): void => {
    setUnsent((all) => all.map((one) => (one.key === key ? { ...one, error } : one)));
  };
  const sending = useMutation({
    scope: { id: `say ${id}` },
    mutationFn: ({ key, text }: { key: string; text: string }) => {
      const params = { path: { id }, header: { 'Idempotency-Key': key } };
      return ok(parley.POST('/v1/escalations/{id}/messages', { params, body: { text, by } }));
    },
    onSuccess: ({ turns }, { key }) => {
      queryClient.setQueryData<Transcript>(
        transcriptKey(conversationId),
        (old) => old && { ...old, turns: withTurns(old.turns, turns) },
      );
      forget(key);
    },
    onError: (error, { key }) => {
      failed(key, error);
      void queryClient.invalidateQueries({ queryKey: ['escalations'] });
    },
  });
  const say = (text: string): void => {
    const key = crypto.randomUUID();
    setUnsent((all) => [...all, { key, text, error: null }]);
    sending.mutate({ key, text });
  };
  const again = (key: string): void => {
    const one = unsent.find((each) => each.key === key);
    if (!one) return;
    failed(key, null);
    sending.mutate(one);
  };
  return { unsent, say, again, forget };
}

function withTurns(known: readonly Turn[], added: readonly Turn[]): Turn[] {
  const indexes = new Set(added.map(({ index }) => index));
  return [...known.filter(({ index }) => !indexes.has(index)), ...added].toSorted(
    (one, other) => one.index - other.index,
  );
}
