import { useState } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { createSource, type Source } from '../../data/knowledge.ts';
import { fieldError, isCode } from '../../data/parley.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { useToast } from '../../ui/toast.tsx';
import { FileForm } from './file-form.tsx';
import { NameField, nameFrom } from './name-field.tsx';
import { useUploading } from './uploading.ts';

/** Creates a source and uploads its file. */
export function NewFile({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const [name, setName] = useState('');
  const [file, setFile] = useState<File | null>(null);
  /** The source, once it exists. If the upload is repeated with another file, it uses this source. */
  const [made, setMade] = useState<Source | null>(null);
  const [makeError, setMakeError] = useState<unknown>(null);
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const toast = useToast();
  const uploading = useUploading();
  const error = makeError ?? uploading.error;
  const nameError = isCode(error, 'name_taken')
    ? 'Another source has this name.'
    : fieldError(error, '/name');

  const send = async (chosen: File): Promise<void> => {
    setMakeError(null);
    uploading.reset();
    let source = made;
    try {
      source ??= await createSource({ type: 'file', ...(name !== '' && { name }) });
    } catch (failure) {
      setMakeError(failure);
      return;
    }
    setMade(source);
    void queryClient.invalidateQueries({ queryKey: ['sources'] });
    await uploading.mutateAsync({ source, file: chosen });
    toast({ text: `Uploaded ${chosen.name}` });
    void navigate({ to: `/knowledge/sources/${source.id}` });
  };
  const leave = (): void => {
    if (made) void navigate({ to: `/knowledge/sources/${made.id}` });
    else onClose();
  };
  return (
    <Dialog title="Upload a file" isOpen={isOpen} onClose={leave}>
      <FileForm
        file={file}
        uploading={uploading}
        error={nameError ? null : error}
        leave={made ? 'Go to the source' : 'Cancel'}
        onChoose={(chosen) => {
          setFile(chosen);
          if (chosen && !made && name === '') setName(nameFrom(chosen.name));
        }}
        // The error is ignored here, because the mutation shows it.
        onSend={(chosen) => void send(chosen).catch(() => undefined)}
        onLeave={leave}
      >
        {made ? (
          <p className="small muted">The source {made.name} was created but has no content yet.</p>
        ) : (
          <NameField name={name} error={nameError} onChange={setName} />
        )}
      </FileForm>
    </Dialog>
  );
}
