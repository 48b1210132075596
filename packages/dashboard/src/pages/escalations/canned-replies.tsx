import { useState } from 'react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useConversation } from '../../data/conversations.ts';
import { useSelf, type Escalation } from '../../data/escalations.ts';
import { useAgentNames } from '../../data/names.ts';
import { ok, parley, type Schemas } from '../../data/parley.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { TroubleNote } from '../../ui/trouble.tsx';

type CannedReply = Schemas['CannedReply'];

const KEY = ['canned-replies'] as const;

/**
 * Offers the team's canned replies with their placeholders filled in, to insert or to edit. The dialog is not part of
 * the reply form, because it contains a form of its own.
 */
export function CannedReplies({
  escalation,
  onClose,
  onChoose,
}: {
  escalation: Escalation;
  onClose: () => void;
  onChoose: (text: string) => void;
}) {
  const [sought, setSought] = useState('');
  const [edited, setEdited] = useState<CannedReply | 'new' | null>(null);
  const fill = useFill(escalation);
  const { data = [], error, isPending } = useQuery({ queryKey: KEY, queryFn: readAll });
  const shown = data.filter(({ title, text }) =>
    `${title} ${text}`.toLowerCase().includes(sought.trim().toLowerCase()),
  );
  if (edited) {
    return (
      <Editor
        reply={edited === 'new' ? null : edited}
        onBack={() => setEdited(null)}
        onClose={onClose}
      />
    );
  }
  return (
    <Dialog title="Canned replies" isOpen onClose={onClose} isWide>
      <Field label="Search">
        {(control) => (
          <input
            {...control}
            type="search"
            value={sought}
            onChange={({ target }) => setSought(target.value)}
          />
        )}
      </Field>
      {error ? <TroubleNote error={error} /> : null}
      {!isPending && data.length === 0 ? (
        <p className="muted">No canned replies yet. Create one that your team can insert.</p>
      ) : null}
      {data.length > 0 && shown.length === 0 ? (
        <p className="muted">No canned replies contain these words.</p>
      ) : null}
      <ul className="canned-replies">
        {shown.map((reply) => (
          <li key={reply.id} className="spread">
            <button
              type="button"
              className="canned-reply"
              onClick={() => onChoose(fill(reply.text))}
            >
              <strong>{reply.title}</strong>
              <span className="small muted">{fill(reply.text)}</span>
            </button>
            <Button
              size="small"
              kind="quiet"
              aria-label={`Edit ${reply.title}`}
              onClick={() => setEdited(reply)}
            >
              Edit
            </Button>
          </li>
        ))}
      </ul>
      <DialogActions>
        <Button onClick={() => setEdited('new')}>New canned reply</Button>
      </DialogActions>
    </Dialog>
  );
}

/** Reads all canned replies, sorted by title. The API limits their number. */
async function readAll(): Promise<CannedReply[]> {
  const found: CannedReply[] = [];
  for await (const one of parley.list('/v1/canned_replies')) found.push(one);
  return found.toSorted((one, other) => one.title.localeCompare(other.title));
}

/**
 * Returns a function that fills in the placeholders of a text. Unknown placeholders stay in the text, so that the human
 * agent notices them.
 */
function useFill({
  conversation_id: id,
  user_id: customer,
  agent_id: agentId,
}: Escalation): (text: string) => string {
  const { data: conversation } = useConversation(id);
  const agent = useAgentNames().get(agentId);
  const { name: me } = useSelf();
  const values = new Map<string, unknown>([
    ...Object.entries(conversation?.variables ?? {}),
    ['customer', customer],
    ['agent', agent],
    ['me', me],
  ]);
  return (text) =>
    text.replaceAll(/\{\{\s*([\w.-]+)\s*\}\}/g, (whole, name: string) => {
      const value = values.get(name);
      return typeof value === 'string' || typeof value === 'number' ? String(value) : whole;
    });
}

function Editor({
  reply,
  onBack,
  onClose,
}: {
  /** Null for a new reply. */
  reply: CannedReply | null;
  onBack: () => void;
  onClose: () => void;
}) {
  const [title, setTitle] = useState(reply?.title ?? '');
  const [text, setText] = useState(reply?.text ?? '');
  const queryClient = useQueryClient();
  const onSuccess = async (): Promise<void> => {
    await queryClient.invalidateQueries({ queryKey: KEY });
    onBack();
  };
  const saving = useMutation({
    mutationFn: () => {
      const body = { title, text };
      if (!reply) return ok(parley.POST('/v1/canned_replies', { body }));
      const params = { path: { id: reply.id } };
      return ok(parley.PATCH('/v1/canned_replies/{id}', { params, body }));
    },
    onSuccess,
  });
  const deleting = useMutation({
    mutationFn: (id: string) =>
      ok(parley.DELETE('/v1/canned_replies/{id}', { params: { path: { id } } })),
    onSuccess,
  });
  const error = saving.error ?? deleting.error;
  return (
    <Dialog
      title={reply ? 'Edit the canned reply' : 'New canned reply'}
      isOpen
      onClose={onClose}
      isWide
    >
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          saving.mutate();
        }}
      >
        <Field label="Title">
          {(control) => (
            <input
              {...control}
              required
              maxLength={100}
              value={title}
              onChange={({ target }) => setTitle(target.value)}
            />
          )}
        </Field>
        <Field
          label="Text"
          hint="{{customer}}, {{agent}}, {{me}} and the conversation’s variables are filled in."
        >
          {(control) => (
            <textarea
              {...control}
              required
              rows={5}
              maxLength={4_000}
              value={text}
              onChange={({ target }) => setText(target.value)}
            />
          )}
        </Field>
        {error ? <TroubleNote error={error} /> : null}
        <DialogActions>
          {reply ? (
            <Button
              kind="danger"
              isBusy={deleting.isPending}
              onClick={() => deleting.mutate(reply.id)}
            >
              Delete
            </Button>
          ) : null}
          <Button onClick={onBack}>Back</Button>
          <Button type="submit" kind="primary" isBusy={saving.isPending}>
            Save
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
