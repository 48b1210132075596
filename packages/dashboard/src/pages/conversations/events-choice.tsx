/** What happens to the undelivered events of an erased object (contract/conversations.md#erasure). */
export type Events = 'deliver' | 'cancel';

const CHOICES: readonly { events: Events; name: string; what: string }[] = [
  {
    events: 'deliver',
    name: 'Deliver pending events without messages or user data',
    what: 'Receivers still get IDs, times and the outcome.',
  },
  {
    events: 'cancel',
    name: 'Cancel pending events',
    what: 'Pending events with messages or user data are not sent.',
  },
];

export function EventsChoice({
  events,
  onChange,
}: {
  events: Events;
  onChange: (events: Events) => void;
}) {
  return (
    <fieldset className="choices">
      <legend>Undelivered events</legend>
      {CHOICES.map((choice) => (
        <label key={choice.events} className="check">
          <input
            type="radio"
            name="events"
            checked={events === choice.events}
            onChange={() => onChange(choice.events)}
          />
          <span>
            {choice.name} <span className="muted small">{choice.what}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}
