import { Button } from '../../ui/button.tsx';
import { Code } from '../../ui/code.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';

/** Shows a new key. It cannot be shown again. */
export function ShownOnce({
  apiKey,
  title,
  onClose,
}: {
  apiKey: string;
  title: string;
  onClose: () => void;
}) {
  return (
    <Dialog title={title} isOpen onClose={onClose}>
      <p>Copy the key now. Parley stores only its hash, so the key can’t be shown again.</p>
      <Code text={apiKey} label="The key" wrap />
      <DialogActions>
        <Button kind="primary" onClick={onClose}>
          I have copied it
        </Button>
      </DialogActions>
    </Dialog>
  );
}
