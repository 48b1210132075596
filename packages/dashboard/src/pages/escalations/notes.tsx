import { useState } from 'react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useSelf, type Escalation } from '../../data/escalations.ts';
import { ok, parley, troubleOf, type Schemas } from '../../data/parley.ts';
import { actorText } from '../../ui/actor.tsx';
import { ActButton, Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { Time } from '../../ui/time.tsx';
import { useToast } from '../../ui/toast.tsx';
import { TroubleNote } from '../../ui/trouble.tsx';

type Note = Schemas['EscalationNote'];

/** Maximum number of notes shown. Few conversations have more. The API returns the others page by page. */
const SHOWN_MAX = 100;

const keyOf = ({ conversation_id: id }: Escalation) => ['escalations', 'notes', id] as const;

/** Shows colleagues' notes about this conversation, and a form to add one. Customers never see notes. */
export function Notes({ escalation }: { escalation: Escalation }) {
  const [isWriting, setWriting] = useState(false);
  const { data: notes = [], error } = useQuery({
    queryKey: keyOf(escalation),
    queryFn: async ({ signal }) => {
      const params = { path: { id: escalation.id }, query: { limit: SHOWN_MAX } };
      const page = await ok(parley.GET('/v1/escalations/{id}/notes', { params, signal }));
      return page.data.toReversed();
    },
  });
  return (
    <section className="escalation-notes stack-small" aria-label="Private notes">
      {error ? <TroubleNote error={error} /> : null}
      {notes.length > 0 ? (
        <ul className="stack-small">
          {notes.map((note) => (
            <NoteItem key={note.id} note={note} escalation={escalation} />
          ))}
        </ul>
      ) : null}
      {isWriting ? (
        <NewNote escalation={escalation} onClose={() => setWriting(false)} />
      ) : (
        <ActButton needs="write" size="small" onClick={() => setWriting(true)}>
          Add note
        </ActButton>
      )}
    </section>
  );
}

function NoteItem({ note, escalation }: { note: Note; escalation: Escalation }) {
  const queryClient = useQueryClient();
  const toast = useToast();
  const add = useAddNote(escalation);
  const removing = useMutation({
    mutationFn: () => {
      const path = { id: note.escalation_id, note_id: note.id };
      return ok(parley.DELETE('/v1/escalations/{id}/notes/{note_id}', { params: { path } }));
    },
    onSuccess: () => {
      void queryClient.invalidateQueries({ queryKey: keyOf(escalation) });
      toast({ text: 'Deleted the note', undo: () => add.mutate(note.text) });
    },
    onError: (error) => toast({ text: troubleOf(error).detail, tone: 'bad' }),
  });
  return (
    <li className="escalation-private">
      <p className="spread small muted">
        <span>
          <strong>{note.by?.name ?? actorText(note.actor)}</strong> <Time at={note.created} />
        </span>
        <ActButton
          needs="write"
          kind="quiet"
          size="small"
          isBusy={removing.isPending}
          onClick={() => removing.mutate()}
        >
          Delete note
        </ActButton>
      </p>
      <p className="preserved">{note.text}</p>
    </li>
  );
}

function NewNote({ escalation, onClose }: { escalation: Escalation; onClose: () => void }) {
  const [text, setText] = useState('');
  const adding = useAddNote(escalation);
  return (
    <form
      className="stack-small"
      onSubmit={(event) => {
        event.preventDefault();
        adding.mutate(text, { onSuccess: onClose });
      }}
    >
      <Field label="Private note" hint="Visible to colleagues, never to the customer.">
        {(control) => (
          <textarea
            {...control}
            // Takes the focus, because the form appears only when somebody wants to write a note.
            autoFocus
            required
            rows={2}
            maxLength={4_000}
            value={text}
            onChange={({ target }) => setText(target.value)}
          />
        )}
      </Field>
      {adding.error ? <TroubleNote error={adding.error} /> : null}
      <div className="row">
        <Button
          type="submit"
          size="small"
          kind="primary"
          isBusy={adding.isPending}
          disabled={text.trim() === ''}
        >
          Save note
        </Button>
        <Button size="small" onClick={onClose}>
          Cancel
        </Button>
      </div>
    </form>
  );
}

function useAddNote(escalation: Escalation) {
  const queryClient = useQueryClient();
  const by = useSelf();
  return useMutation({
    mutationFn: (text: string) => {
      const params = { path: { id: escalation.id } };
      return ok(parley.POST('/v1/escalations/{id}/notes', { params, body: { text, by } }));
    },
    onSuccess: () => queryClient.invalidateQueries({ queryKey: keyOf(escalation) }),
  });
}
