import { Fragment, useState } from 'react';
import { useSource, type TaggedSource } from '../../../data/knowledge.ts';
import { isCode } from '../../../data/parley.ts';
import { useChangeSource } from '../../../data/syncs.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { useToast } from '../../../ui/toast.tsx';
import {
  draftOf,
  patchOf,
  type FetchedDraft,
  type FetchedType,
} from '../../../data/fetched-draft.ts';
import { FetchedForm } from './fetched-form.tsx';

/** Edits what a source reads, and when. Shows concurrent changes before it overwrites them. */
export function EditFetched({
  type,
  tagged,
  onClose,
}: {
  type: FetchedType;
  tagged: TaggedSource;
  onClose: () => void;
}) {
  /** The version of the source that the edit started from, with its ETag. */
  const [base, setBase] = useState(tagged);
  const before = draftOf(base.source);
  const [draft, setDraft] = useState(before);
  const now = useSource(tagged.source.id).data ?? tagged;
  const toast = useToast();
  const saving = useChangeSource(({ source }) => {
    toast({ text: source.sync ? 'Changed the source; it is syncing' : 'Changed the source' });
    onClose();
  });
  const isStale = now.etag !== base.etag && !saving.isPending;
  const patch = patchOf(type, draft, before);
  const isConflict = isCode(saving.error, 'precondition_failed');
  const take = (next: FetchedDraft): void => {
    setBase(now);
    setDraft(next);
    saving.reset();
  };
  return (
    <Dialog title={`Edit ${base.source.name}`} isOpen onClose={onClose} isWide>
      <FetchedForm
        type={type}
        draft={draft}
        onChange={setDraft}
        notice={
          isStale ? (
            <Meanwhile mine={draft} before={before} theirs={draftOf(now.source)} onTake={take} />
          ) : null
        }
        error={isConflict ? null : saving.error}
        action="Save changes"
        isBusy={saving.isPending}
        canSend={!isStale && Object.keys(patch).length > 0}
        onSend={() => saving.mutate({ base, patch })}
        onClose={onClose}
      />
    </Dialog>
  );
}

const LABELS: Record<Exclude<keyof FetchedDraft, 'name'>, string> = {
  url: 'Address',
  include: 'Keep only',
  exclude: 'Leave out',
  depth: 'Maximum link depth',
  pages: 'Maximum pages',
  delay: 'Delay',
  token: 'Secret',
  tokenKey: 'Key in it',
  signing: 'Signing Secret',
  signingKey: 'Key in the signing Secret',
  schedule: 'Schedule',
};

/** Shows what somebody else changed since the form opened, and asks whose changes to keep. */
function Meanwhile({
  mine,
  before,
  theirs,
  onTake,
}: {
  mine: FetchedDraft;
  before: FetchedDraft;
  theirs: FetchedDraft;
  onTake: (next: FetchedDraft) => void;
}) {
  const names = Object.keys(LABELS) as (keyof typeof LABELS)[];
  const changed = names.filter((name) => before[name] !== theirs[name]);
  const touched = names.filter((name) => before[name] !== mine[name]);
  /** This person's changes on top of the other person's. */
  const merged = { ...theirs, ...Object.fromEntries(touched.map((name) => [name, mine[name]])) };
  return (
    <div className="trouble" role="alert">
      <p>
        <strong>Somebody else has changed this source</strong>
        {changed.length === 0 ? ', but none of these fields.' : ':'}
      </p>
      <dl className="facts">
        {changed.map((name) => (
          <Fragment key={name}>
            <dt>{LABELS[name]}</dt>
            <dd>
              <del>{before[name] || 'none'}</del> → <ins>{theirs[name] || 'none'}</ins>
              {touched.includes(name) ? (
                <span className="muted"> · yours: {mine[name] || 'none'}</span>
              ) : null}
            </dd>
          </Fragment>
        ))}
      </dl>
      <div className="row">
        <Button onClick={() => onTake(theirs)}>Take theirs</Button>
        <Button onClick={() => onTake(merged)}>Keep mine</Button>
      </div>
    </div>
  );
}
