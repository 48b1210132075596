import { useEffect, useRef, useState } from 'react';
import { useSelf, type Escalation } from '../../data/escalations.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { CannedReplies } from './canned-replies.tsx';
import { isOfInputMethod } from '../../../../widget/src/text/input-method.ts';

/** Unsent replies by escalation ID. They stay in memory while another conversation is open. */
const drafts = new Map<string, string>();

/** Returns the unsent reply for an escalation, or an empty string. */
export function draftOf(escalationId: string): string {
  return drafts.get(escalationId) ?? '';
}

const IS_MAC = navigator.userAgent.includes('Mac');

/** The reply box of the human agent who accepted the escalation. */
export function Reply({
  escalation,
  takesFocus,
  onSay,
}: {
  escalation: Escalation;
  takesFocus: boolean;
  onSay: (text: string) => void;
}) {
  const { id: escalationId } = escalation;
  const { name } = useSelf();
  const box = useRef<HTMLTextAreaElement>(null);
  const [text, setText] = useState(draftOf(escalationId));
  const [isChoosing, setChoosing] = useState(false);
  const [insertions, setInsertions] = useState(0);
  useEffect(() => {
    // Runs after the dialog has closed, because an open dialog would prevent the reply box from getting the focus.
    if (insertions > 0) box.current?.focus();
  }, [insertions]);
  useEffect(() => {
    if (takesFocus) box.current?.focus();
  }, [takesFocus]);
  const write = (value: string): void => {
    drafts.set(escalationId, value);
    setText(value);
  };
  const insert = (canned: string): void => {
    setChoosing(false);
    const at = box.current?.selectionEnd ?? text.length;
    write(`${text.slice(0, at)}${canned}${text.slice(at)}`);
    setInsertions(insertions + 1);
  };
  const send = (): void => {
    if (text.trim() === '') return;
    onSay(text);
    write('');
    box.current?.focus();
  };
  return (
    <>
      <form
        className="escalation-reply"
        onSubmit={(event) => {
          event.preventDefault();
          send();
        }}
      >
        <Field
          label={`Reply as ${name}`}
          hint={`${IS_MAC ? '⌘' : 'Ctrl'}+Enter sends. Enter starts a new line.`}
        >
          {(control) => (
            <textarea
              {...control}
              ref={box}
              rows={3}
              maxLength={32_000}
              value={text}
              onChange={({ target }) => write(target.value)}
              onKeyDown={(event) => {
                if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
                if (isOfInputMethod(event.nativeEvent)) return;
                event.preventDefault();
                send();
              }}
            />
          )}
        </Field>
        <div className="stack-small">
          <Button size="small" onClick={() => setChoosing(true)}>
            Canned replies
          </Button>
          <Button type="submit" kind="primary" disabled={text.trim() === ''}>
            Send
          </Button>
        </div>
      </form>
      {isChoosing ? (
        <CannedReplies
          escalation={escalation}
          onClose={() => setChoosing(false)}
          onChoose={insert}
        />
      ) : null}
    </>
  );
}
