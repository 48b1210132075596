import { useId } from 'react';
import { useMutation } from '@tanstack/react-query';
import { ok, parley, troubleOf } from '../../data/parley.ts';
import { saveFile } from '../../data/save-file.ts';
import { Button } from '../../ui/button.tsx';
import { useToast } from '../../ui/toast.tsx';

const FORMATS = [
  { format: 'json', name: 'JSON', ending: 'json', type: 'application/json' },
  { format: 'text', name: 'Text', ending: 'txt', type: 'text/plain' },
  { format: 'vtt', name: 'WebVTT, for media players', ending: 'vtt', type: 'text/vtt' },
] as const;

export function ExportTranscript({ id: conversationId }: { id: string }) {
  const menu = useId();
  const toast = useToast();
  const exporting = useMutation({
    mutationFn: async ({ format, ending, type }: (typeof FORMATS)[number]) => {
      const params = { path: { id: conversationId }, query: { format } };
      const path = '/v1/conversations/{id}/transcript';
      const text = await ok(parley.GET(path, { params, parseAs: 'text' }));
      const name = `${conversationId}.${ending}`;
      saveFile(name, new Blob([text], { type }));
      return name;
    },
    onSuccess: (name) => toast({ text: `Saved ${name}` }),
    onError: (error) => toast({ text: troubleOf(error).detail, tone: 'bad' }),
  });
  return (
    <>
      <Button popoverTarget={menu} isBusy={exporting.isPending}>
        Export
      </Button>
      <div id={menu} popover="auto" className="menu card" role="group" aria-label="Export as">
        {FORMATS.map((one) => (
          <Button
            key={one.format}
            kind="quiet"
            popoverTarget={menu}
            popoverTargetAction="hide"
            onClick={() => exporting.mutate(one)}
          >
            {one.name}
          </Button>
        ))}
      </div>
    </>
  );
}
