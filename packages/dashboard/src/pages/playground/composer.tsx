import { useId, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { isOfInputMethod } from '../../../../widget/src/text/input-method.ts';

/** The message box. Enter sends the message, and Shift+Enter starts a new line. A reply in progress can be stopped. */
export function Composer({
  isBusy,
  isOver,
  onSay,
  onStop,
  onAnew,
}: {
  isBusy: boolean;
  isOver: boolean;
  onSay: (text: string) => void;
  onStop: () => void;
  onAnew: () => void;
}) {
  const id = useId();
  const [text, setText] = useState('');
  const send = (): void => {
    if (isBusy || text.trim() === '') return;
    setText('');
    onSay(text.trim());
  };
  if (isOver && !isBusy) {
    return (
      <div className="playground-composer">
        <p>The conversation has ended.</p>
        <Button kind="primary" onClick={onAnew}>
          New conversation
        </Button>
      </div>
    );
  }
  return (
    <form
      className="playground-composer"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <label htmlFor={id} className="unseen">
        Message
      </label>
      <textarea
        id={id}
        rows={2}
        maxLength={32_000}
        placeholder="Write to the agent"
        value={text}
        onChange={({ target }) => setText(target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.shiftKey || isOfInputMethod(event.nativeEvent)) return;
          event.preventDefault();
          send();
        }}
      />
      {isBusy ? (
        <Button onClick={onStop}>Stop</Button>
      ) : (
        <Button type="submit" kind="primary" disabled={text.trim() === ''}>
          Send
        </Button>
      )}
    </form>
  );
}
