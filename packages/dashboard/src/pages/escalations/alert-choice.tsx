import { useId } from 'react';
import { useAlerts } from '../../data/alerts.ts';
import { Button } from '../../ui/button.tsx';
import { useToast } from '../../ui/toast.tsx';
import { playTone, wakeSound } from '../../data/tone.ts';

/** Settings for how this browser alerts human agents to a waiting escalation. */
export function AlertChoice() {
  const [{ sound, notification }, choose] = useAlerts();
  const toast = useToast();
  const id = useId();

  const chooseSound = (isOn: boolean): void => {
    choose({ sound: isOn });
    if (!isOn) return;
    wakeSound();
    playTone();
  };
  const chooseNotification = async (isOn: boolean): Promise<void> => {
    const isAllowed = !isOn || (await Notification.requestPermission()) === 'granted';
    choose({ notification: isOn && isAllowed });
    if (isAllowed) return;
    toast({
      text: 'The browser blocks notifications from this page. Allow them in its settings for this site.',
      tone: 'bad',
    });
  };
  const on = [sound && 'sound', notification && 'notification'].filter(Boolean).join(', ');
  return (
    <>
      <Button size="small" kind="quiet" popoverTarget={id}>
        Alerts: {on || 'off'}
      </Button>
      <div id={id} popover="auto" className="card stack-small alerts">
        <p className="small muted">For each new escalation, in this browser:</p>
        <label className="check">
          <input
            type="checkbox"
            checked={sound}
            onChange={({ target }) => chooseSound(target.checked)}
          />
          A short sound
        </label>
        <label className="check">
          <input
            type="checkbox"
            checked={notification}
            onChange={({ target }) => void chooseNotification(target.checked)}
          />
          A notification while this page is in the background
        </label>
        <p className="small muted">
          After a reload, sound plays only after you have clicked on the page.
        </p>
      </div>
    </>
  );
}
