import { isNear } from './parties';

/** Mail server. */
export interface SmtpServer {
  host: string;
  port: number;
  /** TLS from the first byte (`smtps:`). Otherwise the connection is upgraded by STARTTLS. */
  secure: boolean;
  /** Whether the server is on this machine or in a private network. TLS is then optional. */
  isNear: boolean;
  user: string | undefined;
  password: string | undefined;
}

export interface SmtpSettings {
  server: SmtpServer;
  /** Sender's address. */
  from: string;
}

const PORTS: Readonly<Record<string, number>> = { 'smtp:': 587, 'smtps:': 465 };
const ADDRESS = /^[^\s@<>"]+@[^\s@<>"]+$/;

/**
 * Reads `SMTP_URL` and `MAIL_FROM`.
 * @returns the settings, undefined when neither is given; and a line for each wrong variable, without its value
 */
export function readMailSettings(given: Readonly<Record<string, string | undefined>>): {
  smtp: SmtpSettings | undefined;
  wrong: string[];
} {
  const { SMTP_URL: url, MAIL_FROM: from } = given;
  if (url === undefined && from === undefined) return { smtp: undefined, wrong: [] };
  const server = url === undefined ? undefined : serverOf(url);
  const wrong = [
    ...(url === undefined ? ['SMTP_URL: must be given with MAIL_FROM'] : []),
    ...(url !== undefined && !server
      ? ['SMTP_URL: must be an address such as smtps://user:password@smtp.example.com:465']
      : []),
    ...(from === undefined ? ['MAIL_FROM: must be given with SMTP_URL'] : []),
    ...(from !== undefined && !ADDRESS.test(from)
      ? ['MAIL_FROM: must be an e-mail address such as cards@example.com']
      : []),
  ];
  return { smtp: wrong.length === 0 && server && from ? { server, from } : undefined, wrong };
}

function serverOf(text: string): SmtpServer | undefined {
  if (!URL.canParse(text)) return undefined;
  const { protocol, hostname, port, username, password, pathname, search, hash } = new URL(text);
  const usual = PORTS[protocol];
  if (usual === undefined || hostname === '' || !['', '/'].includes(pathname) || search + hash !== '')
    return undefined;
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? usual : Number(port),
    secure: protocol === 'smtps:',
    isNear: isNear(hostname),
    user: username === '' ? undefined : decodeURIComponent(username),
    password: username === '' ? undefined : decodeURIComponent(password),
  };
}
