import { createTransport } from 'nodemailer';
import type { SmtpSettings } from '../../kernel/config/mail';
import { OutcomeUnknown, PartyAway, PartyRefused } from '../../process/party-errors';
import type { Mailer } from './port';

/** Connections that stay open between mails. */
const MAX_CONNECTIONS = 5;
/** Time-out of a connection, of the greeting and of any later answer, in milliseconds. */
const PATIENCE_MS = 10_000;

/** Sends mail by SMTP. TLS is required unless the server is on our own network. */
export function createSmtpMailer({ server, from }: SmtpSettings): Mailer & { close(): void } {
  const transport = createTransport({
    pool: true,
    maxConnections: MAX_CONNECTIONS,
    host: server.host,
    port: server.port,
    secure: server.secure,
    requireTLS: !server.secure && !server.isNear,
    ...(server.user === undefined ? {} : { auth: { user: server.user, pass: server.password } }),
    connectionTimeout: PATIENCE_MS,
    greetingTimeout: PATIENCE_MS,
    socketTimeout: PATIENCE_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const domain = from.split('@').at(-1) as string;
  return {
    configured: true,
    async send({ id, senderName, to, subject, text, html }) {
      try {
        await transport.sendMail({
          messageId: `<${id}@${domain}>`,
          from: { name: senderName, address: from },
          to: { name: '', address: to },
          subject,
          text,
          html,
          // Asks absence notes and mailing lists not to answer.
          headers: { 'Auto-Submitted': 'auto-generated' },
        });
      } catch (error) {
        throw meaningOf(error as SmtpError);
      }
    },
    close: () => transport.close(),
  };
}

interface SmtpError extends Error {
  /** Code of nodemailer: `ECONNECTION`, `EAUTH`, `EENVELOPE`, `EMESSAGE` … */
  code?: string;
  /** The server's answer. */
  responseCode?: number;
  /** The failed system call where no connection was made: `connect`, `getaddrinfo`. */
  syscall?: string;
}

/** Errors of nodemailer before the mail begins. */
const BEFORE_A_MAIL = new Set(['EAUTH', 'ETLS', 'EDNS', 'EOAUTH2', 'ENOAUTH']);

/** Translates an error without its text, because the text may hold an address. */
function meaningOf({ code = 'unknown', responseCode, syscall }: SmtpError): Error {
  const isOfMail = code === 'EENVELOPE' || code === 'EMESSAGE';
  if (isOfMail && responseCode === undefined) return new PartyRefused('address_invalid');
  if (isOfMail && responseCode !== undefined && responseCode >= 500)
    return new PartyRefused('mail_refused', `the mail server has answered ${responseCode}`);
  if (responseCode === undefined && syscall === undefined && !BEFORE_A_MAIL.has(code))
    return new OutcomeUnknown(); // the connection broke, and nodemailer does not say when
  return new PartyAway(`the mail server cannot be used: ${code} ${responseCode ?? ''}`.trim());
}
