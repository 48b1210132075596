import { useForm } from 'react-hook-form';
import { useNavigate } from '@tanstack/react-router';
import { useMakeSource } from '../../../data/syncs.ts';
import { Dialog } from '../../../ui/dialog.tsx';
import { useToast } from '../../../ui/toast.tsx';
import { setMembers } from '../../../form/merge.ts';
import { nameFromUrl } from '../name-field.tsx';
import { FetchedForm } from './fetched-form.tsx';
import { fieldsOf, valuesOf, type FetchedType, type FetchedValues } from './fetched-values.ts';

const WORDS = {
  website: { title: 'Add a website', action: 'Add the website' },
  integration: { title: 'Add an integration', action: 'Add the integration' },
};

/** Creates a source from the pages of a website or from a feed. */
export function NewFetched({
  type,
  isOpen,
  onClose,
}: {
  type: FetchedType;
  isOpen: boolean;
  onClose: () => void;
}) {
  const form = useForm<FetchedValues>({ defaultValues: valuesOf({ schedule: '@daily' }) });
  const navigate = useNavigate();
  const toast = useToast();
  const making = useMakeSource((source) => {
    toast({ text: `Added ${source.name}; the first sync has started` });
    void navigate({ to: `/knowledge/sources/${source.id}` });
  });
  return (
    <Dialog title={WORDS[type].title} isOpen={isOpen} onClose={onClose} isWide>
      <FetchedForm
        type={type}
        isNew
        form={{ ...form, failure: making.error }}
        action={WORDS[type].action}
        isBusy={making.isPending}
        canSend
        onSend={(values) => {
          const name = values.name || nameFromUrl(values[type].url);
          making.mutate({ type, ...setMembers({ name }), ...fieldsOf(type, values) });
        }}
        onClose={onClose}
      />
    </Dialog>
  );
}
