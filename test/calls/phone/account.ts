/** The account that a stand-in for Twilio has. */
export const ACCOUNT = 'AC00000000000000000000000000000001';
export const TOKEN = 'the-token-of-the-account';
