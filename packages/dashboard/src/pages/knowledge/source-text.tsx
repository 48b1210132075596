import { useState } from 'react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { readSource, sourceKey, tagged, type TaggedSource } from '../../data/knowledge.ts';
import { fieldError, isCode, parley } from '../../data/parley.ts';
import { ActButton, Button } from '../../ui/button.tsx';
import { Code } from '../../ui/code.tsx';
import { Diff } from '../../ui/diff.tsx';
import { Field } from '../../ui/field.tsx';
import { count, counted } from '../../ui/figure.tsx';
import { useToast } from '../../ui/toast.tsx';
import { TroubleNote } from '../../ui/trouble.tsx';

export function SourceText({ tagged: read }: { tagged: TaggedSource }) {
  const [isEditing, setIsEditing] = useState(false);
  const { source } = read;
  const text = source.text ?? '';
  return (
    <section className="stack-small">
      <header className="spread">
        <h2>Text</h2>
        {source.managed_by === 'api' && !isEditing ? (
          <ActButton needs="write" onClick={() => setIsEditing(true)}>
            Edit the text
          </ActButton>
        ) : null}
      </header>
      {isEditing ? (
        <EditText read={read} onDone={() => setIsEditing(false)} />
      ) : (
        <Code text={text} label="Text" wrap />
      )}
    </section>
  );
}

function EditText({ read, onDone }: { read: TaggedSource; onDone: () => void }) {
  /** The version of the source that the edit started from, with its ETag. */
  const [base, setBase] = useState(read);
  const [text, setText] = useState(read.source.text ?? '');
  const queryClient = useQueryClient();
  const toast = useToast();
  const { id } = read.source;
  const saving = useMutation({
    mutationFn: () => {
      const params = { path: { id }, header: { 'If-Match': base.etag } };
      return tagged(parley.PATCH('/v1/knowledge/sources/{id}', { params, body: { text } }));
    },
    onSuccess: (written) => {
      queryClient.setQueryData(sourceKey(id), written);
      void queryClient.invalidateQueries({ queryKey: ['sources'] });
      void queryClient.invalidateQueries({ queryKey: ['search'] });
      toast({ text: 'The text is saved and indexed' });
      onDone();
    },
    onError: async (error) => {
      if (!isCode(error, 'precondition_failed')) return;
      queryClient.setQueryData(sourceKey(id), await readSource(id));
    },
  });
  const isStale = read.source.text !== base.source.text && !saving.isPending;
  const isConflict = isCode(saving.error, 'precondition_failed');
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        saving.mutate();
      }}
    >
      {isStale ? (
        <Changed
          theirs={read.source.text ?? ''}
          mine={text}
          onTakeTheirs={() => {
            setBase(read);
            setText(read.source.text ?? '');
            saving.reset();
          }}
          onKeepMine={() => {
            setBase(read);
            saving.reset();
          }}
        />
      ) : null}
      <Field
        label="Text"
        hint="Plain text or Markdown. Headings divide it into passages."
        error={fieldError(saving.error, '/text')}
      >
        {(control) => (
          <textarea
            {...control}
            rows={18}
            value={text}
            onChange={({ target }) => setText(target.value)}
          />
        )}
      </Field>
      {saving.error && !isConflict && !fieldError(saving.error, '/text') ? (
        <TroubleNote error={saving.error} />
      ) : null}
      <div className="row">
        <Button
          type="submit"
          kind="primary"
          isBusy={saving.isPending}
          disabled={isStale || text.trim() === '' || text === base.source.text}
        >
          Save the text
        </Button>
        <Button onClick={onDone}>Cancel</Button>
      </div>
    </form>
  );
}

/** Maximum total number of characters in two texts for a word-by-word comparison. Longer texts would take too long. */
const COMPARED_MAX = 100_000;

/**
 * Warns that somebody else has saved a different text since this edit started. The person chooses which text to keep.
 * The comparison loads later, so it is below the buttons. Otherwise, a button could move while it is pressed, and the
 * browser would not count that as a click.
 */
function Changed({
  theirs,
  mine,
  onTakeTheirs,
  onKeepMine,
}: {
  theirs: string;
  mine: string;
  onTakeTheirs: () => void;
  onKeepMine: () => void;
}) {
  return (
    <div className="trouble" role="alert">
      <p>
        <strong>Somebody else has changed this text.</strong> The differences between their text and
        yours are below.
      </p>
      <div className="row">
        <Button onClick={onTakeTheirs}>Take theirs</Button>
        <Button onClick={onKeepMine}>Keep mine</Button>
      </div>
      {theirs.length + mine.length <= COMPARED_MAX ? (
        <Diff before={theirs} after={mine} />
      ) : (
        <p>
          Their text has {counted(theirs.length, 'character')}, and yours has {count(mine.length)}.
        </p>
      )}
    </div>
  );
}
