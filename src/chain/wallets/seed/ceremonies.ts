import { table } from '../../../kernel/db/build';
import { databaseTime } from '../../../kernel/db/clock';
import type { Sql, Tx } from '../../../kernel/db/database';
import { conflict } from '../../../kernel/errors';
import type { Keyring } from '../../../kernel/security/keyring';
import { isOperator } from '../../../process/approvals/actors';
import { type Approval, assertSealed, requireApproval } from '../../../process/approvals/operations';

/**
 * A key ceremony: two people export or import the wallets' seed. They decide at the desk, and the command of the
 * installation uses their approval once. No secret passes through the desk.
 */

export const EXPORT = 'wallet-seed.permit-export';
export const IMPORT = 'wallet-seed.permit-import';

/** How long an approval may be used after it was given: a working day. Milliseconds. */
const USABLE_MS = 24 * 60 * 60_000;

export interface Ceremony {
  approvalId: string;
  action: 'export' | 'import';
  form: 'shares' | 'mnemonic';
  shares: number | null;
  threshold: number | null;
  /** {@link fingerprintOf} */
  fingerprint: string;
  /** `operator:<name>` */
  atWork: string;
}

const ceremonies = () => table('seed_ceremonies');

/**
 * Returns the approval of two people by which the operator at work may act.
 * @param actor the operator at work. Undefined: nobody said who
 * @throws Problem 404; 409 `invalid_transition` for another, an open, an old or a forged approval, and another person
 */
export async function requirePermit(
  sql: Sql,
  keyring: Keyring,
  { id, kind, actor }: { id: string; kind: string; actor: string | undefined },
): Promise<Approval & { actor: string }> {
  const found = await requireApproval(sql, id);
  const refuse = (why: string) => conflict('invalid_transition', why, 'approval');
  if (found.kind !== kind) throw refuse(`The approval is of ${found.kind}, and this needs ${kind}.`);
  if (found.status !== 'approved' || found.decidedAt === null)
    throw refuse(`The approval is ${found.status}: another operator must have approved it.`);
  if (!isOperator(found.requestedBy)) throw refuse('No operator has asked for it.');
  assertSealed(keyring, found);
  if (actor === undefined || ![found.requestedBy, found.decidedBy].includes(actor))
    throw refuse(
      `OPERATOR_SECRET must be of one of the two who decided: ${found.requestedBy} or ${found.decidedBy}.`,
    );
  const age = (await databaseTime(sql)).getTime() - found.decidedAt.getTime();
  if (age > USABLE_MS) throw refuse('The approval is older than 24 hours: ask for another.');
  return { ...found, actor };
}

/** Stores a ceremony, which uses its approval up. @throws Problem 409 where it is used up already */
export async function keepCeremony(tx: Tx, ceremony: Ceremony): Promise<void> {
  const row = { ...ceremony };
  const made = await tx.run(
    ceremonies().insert(row).onConflict('approvalId').ignore().returning('approvalId'),
  );
  if (made.length === 0)
    throw conflict('invalid_transition', 'The approval was used already: ask for another.', 'approval');
}

/** The fingerprint of the last ceremony. Undefined before the first. */
export async function lastCeremony(
  sql: Sql,
): Promise<(Pick<Ceremony, 'action' | 'fingerprint'> & { heldAt: Date }) | undefined> {
  const query = ceremonies().select('action', 'fingerprint', 'heldAt').orderBy('heldAt', 'desc').limit(1);
  return (await sql.run<Pick<Ceremony, 'action' | 'fingerprint'> & { heldAt: Date }>(query))[0];
}

/** Whether people hold shares or words of that seed. */
export const isHeldByPeople = async (sql: Sql, fingerprint: string): Promise<boolean> =>
  (await sql.run(ceremonies().select('approvalId').where({ fingerprint }).limit(1))).length > 0;
