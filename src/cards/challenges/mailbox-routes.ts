import { z } from 'zod';
import { Reply, type Route, route } from '../../http/route';
import { notFound } from '../../kernel/errors';
import { type Html, html } from '../../kernel/wire/html';
import { pageTime, webPage } from '../../kernel/wire/page/page';
import {
  type KeptMail,
  mailboxToken,
  readMailbox,
  tenantOfMailbox,
} from '../../parties/mail/sandbox/mailbox';
import type { CardServices } from '../services';

const PAGE = '/sandbox/mailbox/{token}';

const mailboxSchema = z
  .object({
    pageUrl: z
      .string()
      .describe('A page that shows the same mails. Anyone who has the address can read them.'),
    mails: z
      .array(
        z.object({
          id: z.string(),
          to: z.string().describe('Address of the receiver.'),
          subject: z.string().describe('Subject of the mail.'),
          text: z.string().describe('Text of the mail, with the one-time code.'),
          createdAt: z.iso.datetime(),
        }),
      )
      .describe('Mails, newest first.'),
  })
  .meta({ id: 'Mailbox' });

/** Mails that the sandbox has received, for testers. Not available in production. */
export function mailboxRoutes(services: CardServices): Route[] {
  if (services.mode !== 'sandbox') return [];
  const { database, keyring, publicUrl } = services;
  return [
    route({
      method: 'GET',
      path: '/sandbox/mailbox',
      tag: 'Sandbox',
      summary: "Read the mails to the caller's cardholders",
      description:
        'Lists the newest 50 mails, newest first. The mails hold the one-time codes of card payments.',
      response: mailboxSchema,
      async read({ caller }) {
        const mails = await readMailbox(database, keyring, caller.tenantId);
        return {
          pageUrl: `${publicUrl()}${PAGE.replace('{token}', mailboxToken(keyring, caller.tenantId))}`,
          mails: mails.map(({ id, to, subject, text, createdAt }) => ({
            id,
            to,
            subject,
            text,
            createdAt: createdAt.toISOString(),
          })),
        };
      },
    }),
  ];
}

/** The mailbox as a page for a browser. The address holds a secret of the tenant, and needs no other credential. */
export function mailboxPageRoutes(services: CardServices): Route[] {
  if (services.mode !== 'sandbox') return [];
  const { database, keyring } = services;
  return [
    route({
      method: 'GET',
      path: PAGE,
      tag: 'Sandbox',
      summary: "The tester's mailbox",
      role: 'public',
      async read({ params }) {
        const tenantId = tenantOfMailbox(keyring, params['token'] ?? '');
        if (tenantId === undefined) throw notFound('mailbox');
        return page(await readMailbox(database, keyring, tenantId));
      },
    }),
  ];
}

function page(mails: KeptMail[]): Reply<Buffer> {
  const { document, headers } = webPage({
    title: 'Mailbox of the sandbox',
    body: html`<h1>Mailbox of the sandbox</h1>
<p class="soft">Mails to your test cardholders, newest first. Load the page again to see new ones.</p>
${mails.length === 0 ? [html`<div class="card"><p>There is no mail yet.</p></div>`] : mails.map(shown)}`,
    footer: 'Sandbox. Anyone who has this address can read the mails.',
  });
  return new Reply(200, Buffer.from(document), headers);
}

const shown = ({ to, subject, text, createdAt }: KeptMail): Html => html`<article class="card">
<h2>${subject}</h2>
<dl><dt>To</dt><dd>${to}</dd><dt>Received</dt><dd>${pageTime(createdAt)}</dd></dl>
${text
  .split(/\n\n+/)
  .filter((paragraph) => paragraph.trim() !== '')
  .map((paragraph) => html`<p${CODE.test(paragraph) ? html` class="amount"` : undefined}>${paragraph}</p>`)}
</article>
`;

/** The one-time code has a paragraph of its own. */
const CODE = /^\d{6}$/;
