import { useMutation } from '@tanstack/react-query';
import { parley, ParleyError, troubleOf } from '../../data/parley.ts';
import { gather, saveFile } from '../../data/save-file.ts';
import { Button } from '../../ui/button.tsx';
import { useToast } from '../../ui/toast.tsx';

const TYPE = 'application/json';

/** Saves all data about a customer as one JSON file. */
export function ExportCustomer({ userId }: { userId: string }) {
  const toast = useToast();
  const exporting = useMutation({
    mutationFn: async () => {
      const { data, response, error } = await parley.GET('/v1/customers/{user_id}/export', {
        params: { path: { user_id: userId } },
        parseAs: 'stream',
      });
      if (!response.ok) throw new ParleyError(response, error);
      const stream = data as unknown as ReadableStream<Uint8Array<ArrayBuffer>>;
      const name = `customer-${userId.replaceAll(/[^\p{L}\p{N}._-]+/gu, '-')}.json`;
      saveFile(name, await gather(stream, TYPE, () => undefined));
      return name;
    },
    onSuccess: (name) => toast({ text: `Saved ${name}` }),
    onError: (error) =>
      toast({ text: `The export failed: ${troubleOf(error).detail}`, tone: 'bad' }),
  });
  return (
    <Button onClick={() => exporting.mutate()} isBusy={exporting.isPending}>
      Export
    </Button>
  );
}
