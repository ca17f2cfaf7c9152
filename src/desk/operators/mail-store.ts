import type { Sql, Tx } from '../../kernel/db/database';
import { recordTable } from '../../kernel/db/record-table';
import type { Keyring } from '../../kernel/security/keyring';

/** The operators who get hourly mails about waiting rows. */
interface OperatorMail {
  operatorId: string;
  /** Sealed under the operator's id. */
  address: Buffer;
  /** The hour that a mail was last sent for. */
  mailedFor: Date | null;
}

const mails = recordTable<OperatorMail>('operator_mails', {});

const sealerOf = (keyring: Keyring) => keyring.sealer('operator-mail');

export async function saveAddress(
  tx: Tx,
  keyring: Keyring,
  { operatorId, address }: { operatorId: string; address: string },
): Promise<void> {
  const sealed = sealerOf(keyring).seal(Buffer.from(address), operatorId);
  await tx.run(mails().insert({ operatorId, address: sealed }).onConflict('operatorId').merge(['address']));
}

export const deleteAddress = async (tx: Tx, operatorId: string): Promise<void> =>
  void (await tx.run(mails().where({ operatorId }).delete()));

export const hasAddress = async (sql: Sql, operatorId: string): Promise<boolean> =>
  (await mails.one(sql, mails().where({ operatorId }))) !== undefined;

/** Addresses of the operators who were not told for this hour yet, by their ids. */
export async function addressesToMail(
  sql: Sql,
  keyring: Keyring,
  hour: Date,
): Promise<{ operatorId: string; address: string }[]> {
  const due = mails().where((query) => void query.whereNull('mailedFor').orWhere('mailedFor', '<', hour));
  const found = await mails.all(sql, due.orderBy('operatorId'));
  return found.map(({ operatorId, address }) => ({
    operatorId,
    address: sealerOf(keyring).open(address, operatorId).toString(),
  }));
}

export const saveMailed = async (sql: Sql, operatorId: string, mailedFor: Date): Promise<void> =>
  void (await sql.run(mails().where({ operatorId }).update({ mailedFor })));
