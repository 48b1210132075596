/** The account of the stand-in for Twilio. */
export const ACCOUNT = 'AC00000000000000000000000000000001';
export const TOKEN = 'the-token-of-the-account';
