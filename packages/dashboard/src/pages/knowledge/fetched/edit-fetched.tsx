import { useSource, type TaggedSource } from '../../../data/knowledge.ts';
import { isCode } from '../../../data/parley.ts';
import { useChangeSource, type FetchedPatch } from '../../../data/syncs.ts';
import { Meanwhile } from '../../../form/meanwhile.tsx';
import { mergePatch } from '../../../form/merge.ts';
import { useEditForm } from '../../../form/use-edit-form.ts';
import { Dialog } from '../../../ui/dialog.tsx';
import { useToast } from '../../../ui/toast.tsx';
import { FetchedForm } from './fetched-form.tsx';
import { fieldsOf, valuesOf, type FetchedType } from './fetched-values.ts';

/** Edits what a source reads and when. Shows other people's changes before overwriting them. */
export function EditFetched({
  type,
  tagged,
  onClose,
}: {
  type: FetchedType;
  tagged: TaggedSource;
  onClose: () => void;
}) {
  const now = useSource(tagged.source.id).data ?? tagged;
  const edit = useEditForm(now, ({ source }) => valuesOf(source));
  const { base, before, mine, theirs } = edit;
  const toast = useToast();
  const saving = useChangeSource(({ source }) => {
    toast({ text: source.sync ? 'Changed the source; it is syncing' : 'Changed the source' });
    onClose();
  });
  const isStale = now.etag !== base.etag && !saving.isPending;
  const patch = mergePatch(fieldsOf(type, before), fieldsOf(type, mine)) as FetchedPatch;
  const isConflict = isCode(saving.error, 'precondition_failed');
  return (
    <Dialog title={`Edit ${base.source.name}`} isOpen onClose={onClose} isWide>
      <FetchedForm
        type={type}
        form={{ ...edit.form, failure: isConflict ? null : saving.error }}
        notice={
          isStale ? (
            <Meanwhile
              labels={LABELS[type]}
              before={before}
              mine={mine}
              theirs={theirs}
              onTake={(merged) => {
                edit.rebase(merged);
                saving.reset();
              }}
            >
              {(isShown) => (
                <>
                  <strong>Somebody else has changed this source</strong>
                  {isShown ? ':' : ', but none of these fields.'}
                </>
              )}
            </Meanwhile>
          ) : null
        }
        action="Save changes"
        isBusy={saving.isPending}
        canSend={!isStale && patch !== undefined}
        onSend={() => saving.mutate({ base, patch })}
        onClose={onClose}
      />
    </Dialog>
  );
}

const LABELS: Record<FetchedType, Readonly<Record<string, string>>> = {
  website: {
    'website.url': 'Address',
    'website.include': 'Include paths',
    'website.exclude': 'Exclude paths',
    'website.max_depth': 'Maximum link depth',
    'website.max_pages': 'Maximum pages',
    'website.delay_ms': 'Delay',
    schedule: 'Schedule',
  },
  integration: {
    'integration.url': 'Address',
    'integration.secret_ref.name': 'Secret',
    'integration.secret_ref.key': 'Key in the Secret',
    'integration.signing_secret_ref.name': 'Signing Secret',
    'integration.signing_secret_ref.key': 'Key in the signing Secret',
    schedule: 'Schedule',
  },
};
