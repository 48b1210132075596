import { useState } from 'react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Source } from '../../data/knowledge.ts';
import { ok, parley } from '../../data/parley.ts';
import { uploadingFetch } from '../../data/upload.ts';
import { decimal } from '../../ui/figure.tsx';

/** Maximum size of an uploaded file in bytes (contract/knowledge.md#uploads). */
export const FILE_BYTES_MAX = 20 * 1024 * 1024;
export const FILE_WORDS =
  'Text, Markdown, CSV, HTML, PDF, Word (.docx), or a ZIP of these, at most 20 MiB.';
export const FILE_ENDINGS = '.txt,.text,.md,.markdown,.csv,.tsv,.html,.htm,.xhtml,.pdf,.docx,.zip';

/** Returns why the API would reject the file, or undefined if no problem is found. */
export function whyNot({ size, name }: Pick<File, 'size' | 'name'>): string | undefined {
  if (size === 0) return `${name} is empty.`;
  if (size > FILE_BYTES_MAX) return `${name} is ${mebibytes(size)}, but the limit is 20 MiB.`;
  const ending = /\.[^./\\]+$/.exec(name)?.[0].toLowerCase();
  // The API detects the type of a file without an extension from its first bytes.
  if (ending !== undefined && !FILE_ENDINGS.split(',').includes(ending)) {
    return `${ending} files are not supported. Save ${name} as PDF or text first.`;
  }
  return undefined;
}

export function mebibytes(bytes: number): string {
  return `${decimal(bytes / 1024 / 1024)} MiB`;
}

/**
 * Uploads a file to its source. `sent` is the fraction uploaded, 0 to 1, or null if no upload is in progress.
 */
export function useUploading() {
  const [sent, setSent] = useState<number | null>(null);
  const queryClient = useQueryClient();
  const uploading = useMutation({
    mutationFn: ({ source, file }: { source: Pick<Source, 'id'>; file: File }) => {
      setSent(0);
      return upload(source.id, file, (bytes, all) => setSent(all === 0 ? 1 : bytes / all));
    },
    onSettled: () => {
      setSent(null);
      void queryClient.invalidateQueries({ queryKey: ['sources'] });
      void queryClient.invalidateQueries({ queryKey: ['search'] });
    },
  });
  return { ...uploading, sent };
}

function upload(id: string, file: File, onProgress: (sent: number, all: number) => void) {
  const params = { path: { id }, query: { file_name: file.name } };
  return ok(
    parley.PUT('/v1/knowledge/sources/{id}/content', {
      params,
      // The API detects the type from the file's name and first bytes.
      headers: { 'Content-Type': 'application/octet-stream' },
      // The client's types require a string, but the bytes are sent unchanged.
      body: file as unknown as string,
      bodySerializer: (body) => body as unknown as File,
      fetch: uploadingFetch(onProgress),
    }),
  );
}
