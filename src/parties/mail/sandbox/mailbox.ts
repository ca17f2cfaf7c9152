import { createHmac } from 'node:crypto';
import { table } from '../../../kernel/db/build';
import type { Database, Sql } from '../../../kernel/db/database';
import { inPortions, oldestRows } from '../../../kernel/db/portions';
import { isEqual } from '../../../kernel/security/is-equal';
import type { Keyring } from '../../../kernel/security/keyring';
import { mailContext } from '../../../kernel/security/sealed-columns';
import { PartyAway, PartyRefused } from '../../../process/party-errors';
import type { Mail, Mailer } from '../port';

/** Local parts of addresses that select the mail server's behaviour, at any domain. */
export const MAIL_SCENARIOS = {
  'mail-away': 'The mail server is away: no mail to this address is ever sent.',
  'mail-refused': 'The mail server refuses the address.',
} as const;

/** How many of a tenant's mails the mailbox shows. */
const SHOWN = 50;

export interface KeptMail extends Pick<Mail, 'id' | 'to' | 'subject' | 'text' | 'html'> {
  createdAt: Date;
}

const mails = () => table('sandbox_mails');
const PURPOSE = 'sandbox-mails';

/**
 * The sandbox's mail server. It stores each mail sealed, for the tester's mailbox.
 * @param forward sends the mail on, where the sandbox has a mail server of its own
 */
export function createMailbox(database: Database, keyring: Keyring, forward: Mailer | undefined): Mailer {
  const sealer = keyring.sealer(PURPOSE);
  return {
    configured: true,
    async send(mail) {
      const [name] = mail.to.split('@');
      if (name === 'mail-away') throw new PartyAway('the mail server is away');
      if (name === 'mail-refused') throw new PartyRefused('mail_refused');
      const { id, tenantId, to, subject, text, html } = mail;
      const sealed = sealer.seal(Buffer.from(JSON.stringify({ to, subject, text, html })), mailContext(id));
      await database.run(mails().insert({ id, tenantId, sealed }).onConflict('id').ignore());
      await forward?.send(mail);
    },
  };
}

/** Deletes mails, to operators too, seven days after they were sent. @returns the number of deleted mails */
export const forgetOldMails = (database: Database): Promise<number> =>
  inPortions(database, async (tx, limit) => {
    const gone = await tx.query(
      `delete from sandbox_mails where ${oldestRows('sandbox_mails', '7 days')} returning id`,
      [limit],
    );
    return gone.length;
  });

/** The newest mails to a tenant's cardholders. */
export async function readMailbox(sql: Sql, keyring: Keyring, tenantId: string): Promise<KeptMail[]> {
  const sealer = keyring.sealer(PURPOSE);
  const query = mails().select('id', 'sealed', 'createdAt').where({ tenantId });
  const rows = await sql.run<{ id: string; sealed: Buffer; createdAt: Date }>(
    query.orderBy('createdAt', 'desc').orderBy('id', 'desc').limit(SHOWN),
  );
  return rows.map(({ id, sealed, createdAt }) => ({
    id,
    ...(JSON.parse(sealer.open(sealed, mailContext(id)).toString()) as Omit<KeptMail, 'id' | 'createdAt'>),
    createdAt,
  }));
}

/** The secret part of the address of a tenant's mailbox page: `<tenant>.<43 characters>`. */
export function mailboxToken(keyring: Keyring, tenantId: string): string {
  const key = keyring.secretFor('sandbox-mailbox');
  return `${tenantId}.${createHmac('sha256', key).update(tenantId).digest('base64url')}`;
}

/** @returns the tenant whose mailbox the token opens; undefined for any other token */
export function tenantOfMailbox(keyring: Keyring, token: string): string | undefined {
  const tenantId = token.split('.')[0] ?? '';
  return isEqual(token, mailboxToken(keyring, tenantId)) ? tenantId : undefined;
}
