import { EVENT_GROUPS, EVENT_TYPE_NAMES, EVENT_TYPES, isMeant } from '../../data/events.ts';

const KNOWN: readonly string[] = [...EVENT_GROUPS, ...EVENT_TYPE_NAMES];

/** Selects the event types to send. `chosen` is null for all types, including future ones. */
export function EventTypePicker({
  chosen,
  onChange,
  error,
}: {
  chosen: readonly string[] | null;
  onChange: (chosen: readonly string[] | null) => void;
  error: string | undefined;
}) {
  const toggle = (name: string, isOn: boolean): void => {
    const others = (chosen ?? []).filter((one) => one !== name);
    // If `name` is a group, removes the types that the group includes.
    const rest = isOn ? others.filter((one) => one === name || !isMeant([name], one)) : others;
    onChange(isOn ? [...rest, name] : rest);
  };
  // The REST API accepts groups that this form does not offer. They stay selected and can be removed.
  const others = (chosen ?? []).filter((one) => !KNOWN.includes(one));
  return (
    <fieldset className="picker">
      <legend>Events</legend>
      <label className="check">
        <input type="radio" checked={chosen === null} onChange={() => onChange(null)} />
        All, including future types
      </label>
      <label className="check">
        <input type="radio" checked={chosen !== null} onChange={() => onChange(chosen ?? [])} />
        Selected types
      </label>
      {chosen === null ? null : (
        <div className="picker-groups">
          {EVENT_GROUPS.map((group) => (
            <Group key={group} group={group} chosen={chosen} toggle={toggle} />
          ))}
          {others.map((name) => (
            <Choice key={name} name={name} isOn onToggle={toggle} />
          ))}
        </div>
      )}
      {error ? <p className="problem small">{error}</p> : null}
    </fieldset>
  );
}

function Group({
  group,
  chosen,
  toggle,
}: {
  group: (typeof EVENT_GROUPS)[number];
  chosen: readonly string[];
  toggle: (name: string, isOn: boolean) => void;
}) {
  const isWhole = isMeant(
    chosen.filter((one) => one.endsWith('*')),
    group.replace('*', 'x'),
  );
  const types = EVENT_TYPE_NAMES.filter((type) => isMeant([group], type));
  return (
    <div className="picker-group">
      <Choice
        name={group}
        note="all types with this prefix, including future ones"
        isOn={isWhole}
        onToggle={toggle}
      />
      {types.map((type) => (
        <Choice
          key={type}
          name={type}
          note={EVENT_TYPES[type]}
          isOn={isMeant(chosen, type)}
          isFixed={isWhole}
          onToggle={toggle}
        />
      ))}
    </div>
  );
}

function Choice({
  name,
  note,
  isOn,
  isFixed,
  onToggle,
}: {
  name: string;
  note?: string;
  isOn: boolean;
  isFixed?: boolean;
  onToggle: (name: string, isOn: boolean) => void;
}) {
  return (
    <label className={isFixed === undefined ? 'check' : 'check picker-type'}>
      <input
        type="checkbox"
        checked={isOn}
        disabled={isFixed}
        onChange={({ target }) => onToggle(name, target.checked)}
      />
      <span>
        <span className="mono">{name}</span>{' '}
        {note ? <span className="muted small">{note}</span> : null}
      </span>
    </label>
  );
}
