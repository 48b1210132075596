import { createContext, useCallback, useContext, useState, type ReactNode } from 'react';
import { Button } from './button.tsx';
import './toast.css';

export type Toast = {
  text: string;
  tone?: 'ok' | 'bad';
  /** Undoes the action. */
  undo?: () => void;
};

const ToastContext = createContext<(toast: Toast) => void>(() => undefined);

/** Returns a function that reports a success or a failure: `toast({text: 'Published version 4'})`. */
export function useToast(): (toast: Toast) => void {
  return useContext(ToastContext);
}

const SHOWN_MS = 6_000;
/**
 * Time in ms for which a toast with an undo button is shown. It is longer than for other toasts, because people need
 * time to read the toast, decide and reach the button.
 */
const UNDO_MS = 12_000;

export function Toasts({ children }: { children: ReactNode }) {
  const [toasts, setToasts] = useState<readonly (Toast & { key: number })[]>([]);
  const remove = useCallback((key: number) => {
    setToasts((shown) => shown.filter((one) => one.key !== key));
  }, []);
  const add = useCallback(
    (toast: Toast) => {
      const key = performance.now();
      setToasts((shown) => [...shown.slice(-2), { ...toast, key }]);
      setTimeout(() => remove(key), toast.undo ? UNDO_MS : SHOWN_MS);
    },
    [remove],
  );
  return (
    <ToastContext value={add}>
      {children}
      <div className="toasts" role="status" aria-live="polite">
        {toasts.map(({ key, text, tone = 'ok', undo }) => (
          <div key={key} className={`toast toast-${tone}`}>
            <span>{text}</span>
            {undo ? (
              <Button
                size="small"
                onClick={() => {
                  undo();
                  remove(key);
                }}
              >
                Undo
              </Button>
            ) : null}
          </div>
        ))}
      </div>
    </ToastContext>
  );
}
