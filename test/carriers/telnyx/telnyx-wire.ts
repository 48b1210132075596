import type { Wire } from '../../calls/phone/media-wire.ts';

const stream_id = '32DE0DEA-53CB-4B21-89A4-9E1819C043BC';

/** Frames of sound as Telnyx documents them. The unit of `timestamp` is undocumented. */
export const TELNYX_WIRE: Wire = {
  start: ({ sid, parameters, over }) => ({
    event: 'start',
    sequence_number: '1',
    stream_id,
    start: {
      user_id: '3E6F995F-85F7-4705-9741-53B116D28237',
      call_control_id: sid,
      call_session_id: 'ff55a038-6f5d-11ef-9692-02420aeffb1f',
      from: '+13122010094',
      to: '+13122123456',
      custom_parameters: parameters,
      media_format: { encoding: 'PCMU', sample_rate: 8000, channels: 1 },
      ...over,
    },
  }),
  media: (count, payload) => ({
    event: 'media',
    sequence_number: String(count + 1),
    media: { track: 'inbound', chunk: String(count), timestamp: String(count * 160), payload },
    stream_id,
  }),
  dtmf: (digit) => ({
    event: 'dtmf',
    stream_id,
    occurred_at: '2026-01-05T08:54:19.698408Z',
    sequence_number: '5',
    dtmf: { digit },
  }),
  mark: (name) => ({ event: 'mark', sequence_number: '7', stream_id, mark: { name } }),
  stop: (sid) => ({
    event: 'stop',
    sequence_number: '5',
    stop: { user_id: '3E6F995F-85F7-4705-9741-53B116D28237', call_control_id: sid },
    stream_id,
  }),
};
