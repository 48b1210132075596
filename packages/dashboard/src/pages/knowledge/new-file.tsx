import { useState } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { createSource, type Source } from '../../data/knowledge.ts';
import { fieldError, isCode, ok, parley } from '../../data/parley.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { useToast } from '../../ui/toast.tsx';
import { FileForm } from './file-form.tsx';
import { NameField, nameFrom } from './name-field.tsx';
import { useUploading, whyNot } from './uploading.ts';

/**
 * Creates a source and uploads its file. The name is derived from the chosen file unless somebody types one. If the
 * form is closed before a file is accepted, no source is left behind.
 */
export function NewFile({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const [typed, setTyped] = useState<string | null>(null);
  const [file, setFile] = useState<File | null>(null);
  const name = typed ?? (file && !whyNot(file) ? nameFrom(file.name) : '');
  const { error, uploading, isStarted, send, discard } = useNewFile(name);
  const nameError = isCode(error, 'name_taken')
    ? 'Another source has this name.'
    : fieldError(error, '/name');
  const leave = (): void => {
    discard();
    setTyped(null);
    setFile(null);
    onClose();
  };
  return (
    <Dialog title="Upload a file" isOpen={isOpen} onClose={leave}>
      <FileForm
        file={file}
        uploading={uploading}
        error={nameError ? null : error}
        leave={isStarted ? 'Go to the source' : 'Cancel'}
        onChoose={setFile}
        onSend={send}
        onLeave={leave}
      >
        <NameField name={name} error={nameError} onChange={setTyped} />
      </FileForm>
    </Dialog>
  );
}

/**
 * Creates the source and uploads the file to it. If the API rejects the file, the source stays empty. The next `send`
 * uses this source again if the name is still the same, and otherwise deletes it.
 */
function useNewFile(name: string) {
  const [made, setMade] = useState<{ source: Source; wanted: string } | null>(null);
  const [makeError, setMakeError] = useState<unknown>(null);
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const toast = useToast();
  const uploading = useUploading();
  const isStarted = made !== null && uploading.isPending;
  const remove = async ({ id }: Source): Promise<void> => {
    const params = { path: { id } };
    await ok(parley.DELETE('/v1/knowledge/sources/{id}', { params }));
    setMade(null);
    void queryClient.invalidateQueries({ queryKey: ['sources'] });
  };
  const make = async (): Promise<Source> => {
    if (made?.wanted === name) return made.source;
    if (made) await remove(made.source);
    const source = await createSource({ type: 'file', ...(name !== '' && { name }) });
    setMade({ source, wanted: name });
    void queryClient.invalidateQueries({ queryKey: ['sources'] });
    return source;
  };
  const send = async (chosen: File): Promise<void> => {
    setMakeError(null);
    uploading.reset();
    let source: Source;
    try {
      source = await make();
    } catch (failure) {
      setMakeError(failure);
      return;
    }
    await uploading.mutateAsync({ source, file: chosen });
    toast({ text: `Uploaded ${chosen.name}` });
    void navigate({ to: `/knowledge/sources/${source.id}` });
  };
  return {
    error: makeError ?? uploading.error,
    uploading,
    /** Whether the source has been created and its file is being uploaded. */
    isStarted,
    // The error is ignored here, because the mutation shows it.
    send: (chosen: File) => void send(chosen).catch(() => undefined),
    /**
     * Called when the form closes. Opens the page of the new source if its file is being sent, and deletes the source
     * otherwise.
     */
    discard: () => {
      setMakeError(null);
      if (!uploading.isPending) uploading.reset();
      if (isStarted) void navigate({ to: `/knowledge/sources/${made.source.id}` });
      // If the deletion fails, the empty source stays in the list.
      else if (made) void remove(made.source).catch(() => undefined);
    },
  };
}
