import type { ReactNode } from 'react';
import { Button } from '../../ui/button.tsx';
import { DialogActions } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { TroubleNote } from '../../ui/trouble.tsx';
import { UploadProgress } from './upload-progress.tsx';
import { FILE_ENDINGS, FILE_WORDS, whyNot, type useUploading } from './uploading.ts';

/** The upload form: the file, its progress and the error. `children` appear below the file. */
export function FileForm({
  file,
  uploading,
  error,
  leave,
  onChoose,
  onSend,
  onLeave,
  children,
}: {
  file: File | null;
  uploading: ReturnType<typeof useUploading>;
  error: unknown;
  /** Label of the button that closes the form. */
  leave: string;
  onChoose: (file: File | null) => void;
  onSend: (file: File) => void;
  onLeave: () => void;
  children: ReactNode;
}) {
  const refused = file ? whyNot(file) : undefined;
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        if (file) onSend(file);
      }}
    >
      <Field label="File" hint={FILE_WORDS} error={refused}>
        {(control) => (
          <input
            {...control}
            type="file"
            accept={FILE_ENDINGS}
            onChange={({ target }) => {
              uploading.reset();
              onChoose(target.files?.[0] ?? null);
            }}
          />
        )}
      </Field>
      {children}
      <UploadProgress sent={uploading.sent} />
      {error ? <TroubleNote error={error} /> : null}
      <DialogActions>
        <Button onClick={onLeave}>{leave}</Button>
        <Button
          type="submit"
          kind="primary"
          isBusy={uploading.isPending}
          disabled={file === null || refused !== undefined}
        >
          Upload
        </Button>
      </DialogActions>
    </form>
  );
}
