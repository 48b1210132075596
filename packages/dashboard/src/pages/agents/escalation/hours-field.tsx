import { useId } from 'react';
import { fieldErrors } from '../../../data/parley.ts';
import { OrJson } from '../../../form/or-json.tsx';
import { LineField, LinesField } from '../../../form/part-fields.tsx';
import { Button } from '../../../ui/button.tsx';
import { DAYS, SHAPES, type Hours, type Loose } from '../agent-shapes.ts';

type Part = Loose<Hours>;
type Period = Hours['open'][number];

const DAY_NAMES: Record<(typeof DAYS)[number], string> = {
  mon: 'Monday',
  tue: 'Tuesday',
  wed: 'Wednesday',
  thu: 'Thursday',
  fri: 'Friday',
  sat: 'Saturday',
  sun: 'Sunday',
};

const OFFICE: Period = { days: ['mon', 'tue', 'wed', 'thu', 'fri'], from: '09:00', to: '17:00' };

/** Edits the hours during which human agents can take over. `null` means always. */
export function HoursField({
  value,
  failure,
  onChange,
}: {
  value: Part | string | null;
  failure: unknown;
  onChange: (value: Part | string | null) => void;
}) {
  const place = '/escalation/hours';
  return (
    <OrJson
      legend="Hours when human agents are available"
      value={value ?? {}}
      empty={{}}
      shape={SHAPES.hours}
      error={typeof value === 'string' ? fieldErrors(failure, place) : undefined}
      onChange={onChange}
    >
      {(hours) => (
        <>
          <label className="check">
            <input
              type="checkbox"
              checked={isSet(hours)}
              onChange={({ target }) => onChange(target.checked ? officeHours() : null)}
            />
            Only during certain hours
          </label>
          {isSet(hours) ? (
            <HoursFields
              hours={hours}
              errorOf={(name) => fieldErrors(failure, `${place}/${name}`)}
              onChange={onChange}
            />
          ) : null}
        </>
      )}
    </OrJson>
  );
}

const isSet = (hours: Part): boolean => Object.keys(hours).length > 0;

function officeHours(): Part {
  return { time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone, open: [OFFICE] };
}

function HoursFields({
  hours,
  errorOf,
  onChange,
}: {
  hours: Part;
  errorOf: (name: keyof Hours) => string | undefined;
  onChange: (hours: Part) => void;
}) {
  const listId = useId();
  const set = (change: Part): void => onChange({ ...hours, ...change });
  const periods = hours.open ?? [];
  return (
    <>
      <LineField
        label="Time zone"
        list={listId}
        value={hours.time_zone}
        error={errorOf('time_zone')}
        onChange={(time_zone) => set({ time_zone })}
      />
      <datalist id={listId}>
        {Intl.supportedValuesOf('timeZone').map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
      {periods.map((period, at) => (
        <PeriodFields
          key={at}
          period={period}
          name={`Period ${at + 1}`}
          onChange={(next) => set({ open: periods.map((one, i) => (i === at ? next : one)) })}
          onRemove={() => set({ open: periods.filter((_, i) => i !== at) })}
        />
      ))}
      {errorOf('open') ? <p className="problem small">{errorOf('open')}</p> : null}
      <p>
        <Button size="small" onClick={() => set({ open: [...periods, { ...OFFICE, days: [] }] })}>
          Add a period
        </Button>
      </p>
      <LinesField
        label="Closed on these dates, one per line"
        hint="For example, 2026-12-25."
        rows={3}
        value={hours.closed_on?.join('\n')}
        error={errorOf('closed_on')}
        onChange={(text) => set({ closed_on: text === '' ? [] : text.split('\n') })}
      />
      <LinesField
        label="Message when nobody is available"
        hint="{{opens}} is replaced with the time when somebody is available again."
        rows={2}
        value={hours.closed_message}
        error={errorOf('closed_message')}
        onChange={(closed_message) => set({ closed_message })}
      />
    </>
  );
}

function PeriodFields({
  period,
  name,
  onChange,
  onRemove,
}: {
  period: Period;
  name: string;
  onChange: (period: Period) => void;
  onRemove: () => void;
}) {
  const { days, from, to } = period;
  const toggle = (day: (typeof DAYS)[number]): void =>
    onChange({ ...period, days: DAYS.filter((one) => days.includes(one) !== (one === day)) });
  return (
    <div className="agent-parameter" role="group" aria-label={name}>
      <div className="row">
        {DAYS.map((day) => (
          <label key={day} className="check">
            <input type="checkbox" checked={days.includes(day)} onChange={() => toggle(day)} />
            <abbr title={DAY_NAMES[day]}>{DAY_NAMES[day].slice(0, 3)}</abbr>
          </label>
        ))}
      </div>
      <div className="agent-row">
        <input
          aria-label={`${name}: from`}
          placeholder="09:00"
          value={from}
          onChange={({ target }) => onChange({ ...period, from: target.value })}
        />
        <input
          aria-label={`${name}: to`}
          placeholder="17:30"
          value={to}
          onChange={({ target }) => onChange({ ...period, to: target.value })}
        />
        <Button size="small" aria-label={`Remove ${name.toLowerCase()}`} onClick={onRemove}>
          Remove
        </Button>
      </div>
    </div>
  );
}
