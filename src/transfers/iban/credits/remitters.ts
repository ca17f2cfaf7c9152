import type { Sql, Tx } from '../../../kernel/db/database';
import type { BankRemitter } from '../../../parties/bank/word';
import type { Services } from '../../../services';
import { insertRemitter, remittersByReference } from './store';

type Keys = Pick<Services, 'keyring'>;

const sealerOf = ({ keyring }: Keys) => keyring.sealer('iban-remitters');

/** Keeps who has paid a credit, sealed under the credit's id. */
export async function keepRemitter(keys: Keys, tx: Tx, id: string, remitter: BankRemitter): Promise<void> {
  const sealed = sealerOf(keys).seal(Buffer.from(JSON.stringify(remitter)), id);
  await insertRemitter(tx, { id, remitter: sealed });
}

/** The remitters of credits, by the references of their account transactions. */
export async function remittersOf(
  keys: Keys,
  sql: Sql,
  references: readonly string[],
): Promise<Map<string, BankRemitter>> {
  const rows = await remittersByReference(sql, references);
  const opened = ({ id, remitter }: (typeof rows)[number]) =>
    JSON.parse(sealerOf(keys).open(remitter, id).toString('utf8')) as BankRemitter;
  return new Map(rows.map((row) => [row.referenceId, opened(row)]));
}
