/** Outlines of the icons, drawn for this dashboard on a grid of 20 × 20. */
const OUTLINES = {
  overview: 'M3.5 3.5H9V9H3.5zM11 3.5h5.5V7H11zM11 9h5.5v7.5H11zM3.5 11H9v5.5H3.5z',
  conversations:
    'M4.5 4h11A1.5 1.5 0 0 1 17 5.5v7a1.5 1.5 0 0 1-1.5 1.5H9.5L6 17v-3H4.5A1.5 1.5 0 0 1 3 12.5v-7A1.5 1.5 0 0 1 4.5 4zM6.5 7.5h7M6.5 10.5h4',
  escalations:
    'M8 9.5a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM2.5 16.5C2.5 13.5 5 12 8 12s5.5 1.5 5.5 4.5M15.5 9.5v-6M13 6l2.5-2.5L18 6',
  calls:
    'M6.5 3.5 8.2 7 6.6 8.5a10 10 0 0 0 4.9 4.9L13 11.8l3.5 1.7v2.3a1.2 1.2 0 0 1-1.3 1.2A12.3 12.3 0 0 1 3 4.8a1.2 1.2 0 0 1 1.2-1.3z',
  agents:
    'M5.5 6.5h9a2 2 0 0 1 2 2v5a2 2 0 0 1-2 2h-9a2 2 0 0 1-2-2v-5a2 2 0 0 1 2-2zM10 6.5V3.5M7.5 10v2M12.5 10v2',
  knowledge:
    'M10 5.5C8.3 4.3 6 4 3 4v11.5c3 0 5.3.3 7 1.5 1.7-1.2 4-1.5 7-1.5V4c-3 0-5.3.3-7 1.5zM10 5.5V17',
  webhooks: 'M17 3 9 11M17 3l-5 14-3-6-6-3z',
  analytics: 'M3 17h14M5.5 14V9.5M10 14V4M14.5 14V7',
  customers:
    'M7.5 9.5a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM2 16.5c0-3 2.4-4.5 5.5-4.5s5.5 1.5 5.5 4.5M13 3.8a3 3 0 0 1 0 5.4M14.5 12.2c2 .5 3.5 1.9 3.5 4.3',
  settings: 'M3 6.5h7.5M15.5 6.5H17M13 4.5v4M3 13.5h1.5M9.5 13.5H17M7 11.5v4',
} as const;

export type IconName = keyof typeof OUTLINES;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg className="icon" viewBox="0 0 20 20" aria-hidden="true">
      <path d={OUTLINES[name]} />
    </svg>
  );
}

/** Shows Parley's logo, which depicts the two sides of a conversation. `icon.svg` contains the same drawing. */
export function Mark() {
  return (
    <svg className="mark" viewBox="0 0 32 32" aria-hidden="true">
      <rect className="mark-ground" width="32" height="32" rx="8" />
      <path
        className="mark-near"
        d="M9 7h8.5a4 4 0 0 1 4 4v1.5h-3a6 6 0 0 0-6 6v1.3L8.6 23v-4.1A4 4 0 0 1 5 15v-4a4 4 0 0 1 4-4z"
      />
      <path
        className="mark-far"
        d="M18.5 14.5h4.5a4 4 0 0 1 4 4v1.5a4 4 0 0 1-3 3.9V27l-3.5-3h-2a4 4 0 0 1-4-4v-1.5a4 4 0 0 1 4-4z"
      />
    </svg>
  );
}
