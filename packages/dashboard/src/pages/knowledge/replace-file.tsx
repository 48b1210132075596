import { useState } from 'react';
import type { Source } from '../../data/knowledge.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { useToast } from '../../ui/toast.tsx';
import { FileForm } from './file-form.tsx';
import { useUploading } from './uploading.ts';

export function ReplaceFile({
  source,
  isOpen,
  onClose,
}: {
  source: Source;
  isOpen: boolean;
  onClose: () => void;
}) {
  const [file, setFile] = useState<File | null>(null);
  const uploading = useUploading();
  const toast = useToast();
  const close = (): void => {
    uploading.reset();
    setFile(null);
    onClose();
  };
  const send = (chosen: File): void => {
    uploading.mutate(
      { source, file: chosen },
      {
        onSuccess: () => {
          toast({ text: `Uploaded ${chosen.name}` });
          close();
        },
      },
    );
  };
  return (
    <Dialog title={`Upload to ${source.name}`} isOpen={isOpen} onClose={close}>
      <FileForm
        file={file}
        uploading={uploading}
        error={uploading.error}
        leave="Cancel"
        onChoose={setFile}
        onSend={send}
        onLeave={close}
      >
        {source.documents > 0 ? (
          <p className="small muted">
            The file replaces the current content, which stays searchable until the new file is
            indexed.
          </p>
        ) : null}
      </FileForm>
    </Dialog>
  );
}
