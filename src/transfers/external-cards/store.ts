import { table } from '../../kernel/db/build';
import type { Sql } from '../../kernel/db/database';
import type { ExternalCardDetails } from './record';

const COLUMNS = ['id', 'returnUrl', 'actionUrl'];
const transactions = () => table('external_card_transactions');

export type NewDetails = Omit<ExternalCardDetails, 'actionUrl'> & {
  /** The card's token, sealed under the id. */
  token: Buffer;
  redirectHash: Buffer;
};

export async function insertDetails(tx: Sql, given: NewDetails): Promise<void> {
  await tx.run(transactions().insert(given));
}

export async function detailsOf(sql: Sql, id: string): Promise<ExternalCardDetails | undefined> {
  const [row] = await sql.run<ExternalCardDetails>(transactions().select(COLUMNS).where({ id }));
  return row;
}

/** For the moment of ordering. */
export async function sealedTokenOf(
  sql: Sql,
  id: string,
): Promise<Pick<NewDetails, 'token' | 'returnUrl'> | undefined> {
  const [row] = await sql.run<Pick<NewDetails, 'token' | 'returnUrl'>>(
    transactions().select('token', 'returnUrl').where({ id }),
  );
  return row;
}

/** What a token of the payer's address leads to. */
export async function findByRedirect(
  sql: Sql,
  redirectHash: Buffer,
): Promise<ExternalCardDetails | undefined> {
  const [row] = await sql.run<ExternalCardDetails>(transactions().select(COLUMNS).where({ redirectHash }));
  return row;
}

export async function saveActionUrl(tx: Sql, id: string, actionUrl: Buffer): Promise<void> {
  await tx.run(transactions().where({ id }).update({ actionUrl }));
}
