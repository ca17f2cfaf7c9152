import type { Tx } from '../../kernel/db/database';
import { conflict, type Problem } from '../../kernel/errors';

/**
 * Held to the end of the transaction by whoever is told of what a transaction has done: two tell of the same one after the other, as
 * a deposit or as an operation of ours. Raw: an advisory lock, for there is no row yet that could be locked.
 * @param told.txHash in any spelling
 */
export async function lockToldHash(
  tx: Tx,
  { chain, txHash }: { chain: string; txHash: string },
): Promise<void> {
  const hash = txHash.toLowerCase().replace(/^0x/, '');
  await tx.query('select pg_advisory_xact_lock(hashtextextended($1, 162))', [`${chain}:${hash}`]);
}

/** Something else was told since a person has asked for what is to be done about it. */
export const otherWord = (): Problem =>
  conflict('invalid_transition', 'Something else was told of it since this was asked for: ask for it again.');
