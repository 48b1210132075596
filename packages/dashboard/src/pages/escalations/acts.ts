import { useMutation, useQueryClient, type QueryClient } from '@tanstack/react-query';
import { actedOn } from '../../data/alerts.ts';
import {
  escalationKey,
  readEscalation,
  useSelf,
  type Escalation,
  type Person,
} from '../../data/escalations.ts';
import { HEARTBEAT_SEC, keepPresent } from '../../data/presence.ts';
import { isCode, ok, parley, troubleOf } from '../../data/parley.ts';
import { useToast } from '../../ui/toast.tsx';

/** Error codes which mean that somebody else acted first. */
const TOO_LATE = ['already_accepted', 'escalation_closed', 'escalation_not_accepted'];

const accepting = (self: Person) => ({ accepted_by: self, heartbeat_sec: HEARTBEAT_SEC });

export type Accepting = ReturnType<typeof useAccept>;

/**
 * Accepts an escalation by ID. Only the first human agent succeeds. The others immediately see who accepted it and
 * when.
 */
export function useAccept(onAccepted: (id: string) => void) {
  const self = useSelf();
  return useAct(
    (id: string) => {
      const params = { path: { id } };
      return ok(parley.POST('/v1/escalations/{id}/accept', { params, body: accepting(self) }));
    },
    (id: string) => {
      keepPresent(id, self.id);
      onAccepted(id);
    },
  );
}

/** Declines an escalation, so that the agent continues. */
export function useDecline() {
  return useAct((id: string) =>
    ok(parley.POST('/v1/escalations/{id}/decline', { params: { path: { id } } })),
  );
}

/**
 * Releases an escalation, so that another human agent can accept it. A non-empty `team` becomes the escalation's team.
 * The AI agent stays silent.
 */
export function useRelease(team: string) {
  return useAct((id: string) =>
    ok(
      parley.POST('/v1/escalations/{id}/release', {
        params: { path: { id } },
        body: team === '' ? {} : { team },
      }),
    ),
  );
}

/**
 * Completes an escalation, so that the agent continues. Undo requests a new escalation and accepts it immediately. The
 * user sees both steps.
 */
export function useComplete(onTakenBack: (id: string) => void) {
  const self = useSelf();
  const toast = useToast();
  const takeBack = async (conversationId: string): Promise<void> => {
    actedOn(conversationId);
    const asked = await ok(
      parley.POST('/v1/conversations/{id}/escalate', {
        params: { path: { id: conversationId } },
        body: { reason: 'taken back' },
      }),
    );
    const params = { path: { id: asked.id } };
    await ok(parley.POST('/v1/escalations/{id}/accept', { params, body: accepting(self) }));
    keepPresent(asked.id, self.id);
    onTakenBack(asked.id);
  };
  const complete = async (id: string): Promise<Escalation> => {
    const params = { path: { id } };
    const escalation = await ok(parley.POST('/v1/escalations/{id}/complete', { params }));
    toast({
      text: 'Gave the conversation back to the agent',
      undo: () =>
        void takeBack(escalation.conversation_id).catch((error: unknown) =>
          toast({ text: troubleOf(error).detail, tone: 'bad' }),
        ),
    });
    return escalation;
  };
  return useAct(complete);
}

function useAct(act: (id: string) => Promise<Escalation>, onDone?: (id: string) => void) {
  const queryClient = useQueryClient();
  const toast = useToast();
  return useMutation({
    mutationFn: act,
    onSuccess: (escalation) => {
      actedOn(escalation.conversation_id);
      show(queryClient, escalation);
      onDone?.(escalation.id);
    },
    onError: async (error, id) => {
      if (!TOO_LATE.some((code) => isCode(error, code))) {
        toast({ text: troubleOf(error).detail, tone: 'bad' });
        return;
      }
      const now = await readEscalation(id);
      show(queryClient, now);
      toast({ text: lateText(now), tone: 'bad' });
    },
  });
}

/** Shows the updated escalation immediately and refreshes the lists. */
function show(queryClient: QueryClient, escalation: Escalation): void {
  queryClient.setQueryData(escalationKey(escalation.id), escalation);
  void queryClient.invalidateQueries({ queryKey: ['escalations'] });
}

function lateText({ status, accepted_by: by, accepted_at: at }: Escalation): string {
  if (status !== 'accepted' || !by || at === null) {
    return `This escalation is already ${status.replace('_', ' ')}`;
  }
  const sec = Math.max(0, Math.floor(Date.now() / 1_000) - at);
  return `${by.name} accepted this escalation ${sec} s ago`;
}
