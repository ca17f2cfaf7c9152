import { PartyAway } from '../../process/party-errors';
import type { Mailer } from './port';

/** Stands in where a live installation names no mail server. */
export const NO_MAILER: Mailer = {
  configured: false,
  send: () => Promise.reject(new PartyAway('no mail server is configured (SMTP_URL)')),
};
