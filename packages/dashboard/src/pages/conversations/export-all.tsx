import { useRef, useState } from 'react';
import { useMutation } from '@tanstack/react-query';
import { parley, ParleyError, troubleOf } from '../../data/parley.ts';
import { gather, saveFile } from '../../data/save-file.ts';
import { Button } from '../../ui/button.tsx';
import { counted, decimal } from '../../ui/figure.tsx';
import type { Search } from '../../ui/filters.tsx';
import { useToast } from '../../ui/toast.tsx';

type Progress = { conversations: number; bytes: number };

const TYPE = 'application/x-ndjson';
/** Interval in ms at which the displayed progress is updated. */
const TOLD_MS = 100;

/**
 * Exports all conversations that match the filters, each with its transcript, as one NDJSON file. Shows
 * progress and can be stopped.
 */
export function ExportAll({ search }: { search: Search }) {
  const toast = useToast();
  const [progress, setProgress] = useState<Progress>({ conversations: 0, bytes: 0 });
  const stopping = useRef<AbortController>(null);
  const exporting = useMutation({
    mutationFn: async () => {
      const controller = new AbortController();
      stopping.current = controller;
      return exportAll(search, controller.signal, setProgress);
    },
    onSuccess: ({ conversations }) => toast({ text: `Exported ${told(conversations)}` }),
    onError: (error) => {
      const wasStopped = stopping.current?.signal.aborted;
      toast(
        wasStopped
          ? { text: 'Stopped the export; no file was saved' }
          : { text: `The export failed: ${troubleOf(error).detail}`, tone: 'bad' },
      );
    },
  });
  if (!exporting.isPending) {
    return <Button onClick={() => exporting.mutate()}>Export</Button>;
  }
  return (
    <span className="row" role="status">
      <span className="small numeric">
        {told(progress.conversations)}, {megabytes(progress.bytes)}
      </span>
      <Button onClick={() => stopping.current?.abort()}>Stop the export</Button>
    </span>
  );
}

function told(conversations: number): string {
  return counted(conversations, 'conversation');
}

function megabytes(bytes: number): string {
  return `${decimal(bytes / 1e6)} MB`;
}

/** @throws ParleyError, or the reason of `signal` if the export is stopped */
async function exportAll(
  search: Search,
  signal: AbortSignal,
  onProgress: (progress: Progress) => void,
): Promise<Progress> {
  const { data, response, error } = await parley.GET('/v1/conversations', {
    params: { query: search },
    headers: { Accept: TYPE },
    parseAs: 'stream',
    signal,
  });
  if (!response.ok) throw new ParleyError(response, error);
  const progress = { conversations: 0, bytes: 0 };
  let toldAt = 0;
  const stream = data as unknown as ReadableStream<Uint8Array<ArrayBuffer>>;
  const file = await gather(stream, TYPE, (chunk) => {
    progress.bytes += chunk.length;
    progress.conversations += linesIn(chunk);
    if (performance.now() - toldAt < TOLD_MS) return;
    toldAt = performance.now();
    onProgress({ ...progress });
  });
  saveFile(`conversations-${new Date().toISOString().slice(0, 16).replace(':', '')}.ndjson`, file);
  return progress;
}

const NEWLINE = 10;

function linesIn(chunk: Uint8Array): number {
  let lines = 0;
  for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, at + 1)) lines += 1;
  return lines;
}
