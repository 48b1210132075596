import { useId, useLayoutEffect, useRef, type ReactNode } from 'react';
import { Button } from './button.tsx';
import { holdFocus } from './keep-focus.ts';
import './dialog.css';

/**
 * A modal dialog. It uses the browser's own dialog element, which handles Escape and the inert page behind it. When the
 * dialog closes, the focus returns to the element that had the focus before.
 */
export function Dialog({
  title,
  isOpen,
  onClose,
  children,
  isWide,
}: {
  title: string;
  isOpen: boolean;
  onClose: () => void;
  children: ReactNode;
  isWide?: boolean;
}) {
  const ref = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  // Uses a layout effect, because its cleanup must run before React removes an open dialog together with the component.
  useLayoutEffect(() => {
    const dialog = ref.current;
    if (!isOpen || !dialog) return undefined;
    const giveBack = holdFocus();
    dialog.showModal();
    return () => {
      dialog.close();
      giveBack();
    };
  }, [isOpen]);
  if (!isOpen) return null;
  return (
    <dialog
      ref={ref}
      className={isWide ? 'dialog dialog-wide' : 'dialog'}
      aria-labelledby={titleId}
      onCancel={(event) => {
        // Ignores the cancel event of a file chooser inside the dialog.
        if (event.target === event.currentTarget) onClose();
      }}
    >
      <header className="spread">
        <h2 id={titleId}>{title}</h2>
        <Button kind="quiet" size="small" onClick={onClose} aria-label="Close">
          ✕
        </Button>
      </header>
      {children}
    </dialog>
  );
}

/** The row of buttons at the end of a dialog. */
export function DialogActions({ children }: { children: ReactNode }) {
  return <div className="dialog-actions">{children}</div>;
}
