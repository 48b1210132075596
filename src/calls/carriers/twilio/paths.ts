/** Where the carrier finds us (contract §4, telephony). */
export const VOICE_PATH = '/v1/telephony/twilio/voice';
export const STATUS_PATH = '/v1/telephony/twilio/status';
export const RELAY_PATH = '/v1/telephony/twilio/relay';
export const MEDIA_PATH = '/v1/telephony/twilio/media';
