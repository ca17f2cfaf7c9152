import { type AddressInfo, createServer } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import type { SmtpServer } from '../../../src/kernel/config/mail';
import type { Mail } from '../../../src/parties/mail/port';
import { createSmtpMailer } from '../../../src/parties/mail/smtp';
import { OutcomeUnknown, PartyAway, PartyRefused } from '../../../src/process/party-errors';

/** The adapter of mail against a real SMTP server. */

const MAIL: Mail = {
  id: 'chl_1.1',
  tenantId: 'cli_1',
  senderName: 'Acme "Pay" Ö',
  to: 'ada@example.com',
  subject: 'Ihr Code für eine Zahlung',
  text: 'Der Code ist 012345.\n',
  html: '<p>Der Code ist <b>012345</b>.</p>',
};

interface Taken {
  from: string;
  to: string[];
  raw: string;
  user: string | undefined;
  secure: boolean;
}

let taken: Taken[];
const open: (() => Promise<void>)[] = [];
beforeEach(() => {
  taken = [];
});
afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

const mailerAt = (port: number, client: Partial<SmtpServer> = {}) =>
  createSmtpMailer({
    server: {
      host: '127.0.0.1',
      port,
      secure: false,
      isNear: true,
      user: undefined,
      password: undefined,
      ...client,
    },
    from: 'cards@example.com',
  });

/** A server that stores its mails, and a mailer that sends to it. */
async function serving(options: SMTPServerOptions = {}, client: Partial<SmtpServer> = {}) {
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    logger: false,
    onData(stream, session, callback) {
      let raw = '';
      stream.setEncoding('utf8');
      stream.on('data', (chunk: string) => (raw += chunk));
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope;
        taken.push({
          from: mailFrom ? mailFrom.address : '',
          to: rcptTo.map(({ address }) => address),
          raw,
          user: session.user as string | undefined,
          secure: session.secure,
        });
        callback();
      });
    },
    ...options,
  });
  server.on('error', () => undefined); // a client that breaks off
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.server.address() as AddressInfo;
  const mailer = mailerAt(port, client);
  const close = async () => {
    mailer.close();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  };
  open.push(close);
  return { mailer, close };
}

const refusing = (responseCode: number) => Object.assign(new Error('no'), { responseCode });

it('sends text and HTML in the name of the tenant, under one Message-ID', async () => {
  const { mailer } = await serving();
  await mailer.send(MAIL);
  await mailer.send(MAIL);
  expect(taken).toHaveLength(2);
  const [{ from, to, raw }] = taken as [Taken];
  expect({ from, to }).toEqual({ from: 'cards@example.com', to: ['ada@example.com'] });
  expect(raw).toContain('Message-ID: <chl_1.1@example.com>');
  expect(taken[1]?.raw).toContain('Message-ID: <chl_1.1@example.com>');
  expect(raw).toMatch(/^From: .*<cards@example\.com>$/m);
  expect(raw).toContain('Auto-Submitted: auto-generated');
  expect(raw).toContain('Content-Type: text/plain; charset=utf-8');
  expect(raw).toContain('Content-Type: text/html; charset=utf-8');
  expect(raw).toContain('Der Code ist 012345.');
});

it('treats a recipient with a comma as one address', async () => {
  const { mailer } = await serving();
  const strange = { ...MAIL, to: 'ada@example.com, eve@example.com' };
  await mailer.send(strange).catch(() => undefined);
  expect(taken.flatMap(({ to }) => to)).not.toContain('eve@example.com');
});

it('signs in to the server', async () => {
  const { mailer } = await serving(
    {
      authOptional: false,
      allowInsecureAuth: true,
      onAuth: ({ username, password }, _session, callback) =>
        username === 'cards' && password === 'p@ss:word'
          ? callback(null, { user: username })
          : callback(refusing(535)),
    },
    { user: 'cards', password: 'p@ss:word' },
  );
  await mailer.send(MAIL);
  expect(taken[0]?.user).toBe('cards');
});

it('throws PartyAway on a wrong password, because the mail is not at fault', async () => {
  const onAuth: SMTPServerOptions['onAuth'] = (_auth, _session, callback) => callback(refusing(535));
  const { mailer } = await serving(
    { authOptional: false, allowInsecureAuth: true, onAuth },
    { user: 'cards', password: 'wrong' },
  );
  await expect(mailer.send(MAIL)).rejects.toThrow(PartyAway);
});

it('sends nothing without TLS to a server on another network', async () => {
  const { mailer } = await serving({}, { isNear: false });
  await expect(mailer.send(MAIL)).rejects.toThrow(PartyAway);
  expect(taken).toEqual([]);
});

it.each([
  [550, PartyRefused],
  [450, PartyAway],
])('interprets %d as an answer to a recipient', async (code, expected) => {
  const { mailer } = await serving({ onRcptTo: (_address, _session, callback) => callback(refusing(code)) });
  const error = await mailer.send(MAIL).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(expected);
  expect(String(error)).not.toContain('ada@example.com');
});

it.each([
  [554, PartyRefused],
  [451, PartyAway],
])('interprets %d as an answer to the message', async (code, expected) => {
  const { mailer } = await serving({
    onData(stream, _session, callback) {
      stream.resume();
      stream.on('end', () => callback(refusing(code)));
    },
  });
  await expect(mailer.send(MAIL)).rejects.toThrow(expected);
});

it('throws OutcomeUnknown when the server hangs up after the message', async () => {
  const answers: [RegExp, string][] = [
    [/^EHLO/, '250 mail.example.com'],
    [/^(MAIL|RCPT)/, '250 OK'],
    [/^DATA/, '354 Go on'],
  ];
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.write('220 mail.example.com\r\n');
    socket.on('data', (chunk) => {
      if (chunk.toString().endsWith('\r\n.\r\n')) return void socket.destroy();
      const answer = answers.find(([command]) => command.test(chunk.toString()));
      if (answer) socket.write(`${answer[1]}\r\n`);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  open.push(() => new Promise((resolve) => server.close(() => resolve())));
  const mailer = mailerAt((server.address() as AddressInfo).port);
  await expect(mailer.send(MAIL)).rejects.toThrow(OutcomeUnknown);
  mailer.close();
});

it('throws PartyAway when the connection is refused', async () => {
  const { mailer, close } = await serving();
  await close();
  await expect(mailer.send(MAIL)).rejects.toThrow(PartyAway);
});
