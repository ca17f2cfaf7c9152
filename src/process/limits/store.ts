import { table } from '../../kernel/db/build';
import type { Sql, Tx } from '../../kernel/db/database';
import { Decimal } from '../../kernel/money/money';
import type { Alone } from './record';

const ADMIN_LIMIT = { name: 'admin_limit' };
const settings = () => table('installation_settings');

interface Setting {
  value: string;
}

export async function readAdminLimit(sql: Sql): Promise<Decimal | null> {
  const [row] = await sql.run<Setting>(settings().select('value').where(ADMIN_LIMIT));
  return row ? new Decimal(row.value) : null;
}

/** Held to the end of the transaction. */
export async function lockAdminLimit(tx: Tx): Promise<Decimal | null> {
  const [row] = await tx.run<Setting>(settings().select('value').where(ADMIN_LIMIT).forUpdate());
  return row ? new Decimal(row.value) : null;
}

/** @returns false where one is known */
export async function insertAdminLimit(tx: Tx, limit: Decimal): Promise<boolean> {
  const row = { ...ADMIN_LIMIT, value: limit.toFixed() };
  return (await tx.run(settings().insert(row).onConflict().ignore().returning('name'))).length > 0;
}

export async function updateAdminLimit(tx: Tx, limit: Decimal, setAt: Date): Promise<void> {
  await tx.run(settings().where(ADMIN_LIMIT).update({ value: limit.toFixed(), setAt }));
}

/** `2026-01-31`, UTC. */
const dayOf = (at: Date): string => at.toISOString().slice(0, 10);

/**
 * What was decided alone before of the same subject, and of the same person's day: under locks, so that one at a time adds to
 * either. The locks are taken before any account or transfer is. Raw: locks of Postgres's own, and one look at both sums.
 */
export async function sumsUnderLock(
  tx: Tx,
  { subject, currency, decidedBy, at, ever, person }: Alone,
): Promise<{ ofSubject: Decimal; ofPerson: Decimal }> {
  const locks = person ? [decidedBy, subject] : [subject];
  const [row] = (
    await Promise.all([
      ...locks.map((name) => tx.query('select pg_advisory_xact_lock(hashtextextended($1, 121))', [name])),
      tx.query<{ ofSubject: string; ofPerson: string }>(
        `select (select coalesce(sum(amount), 0)::text from decided_alone
                  where subject = $1 and currency = $2 and ($5 or day = $4)) as "ofSubject",
                (select coalesce(sum(amount), 0)::text from decided_alone
                  where decided_by = $3 and currency = $2 and day = $4 and $6) as "ofPerson"`,
        [subject, currency, decidedBy, dayOf(at), ever, person],
      ),
    ])
  ).at(-1) as { ofSubject: string; ofPerson: string }[];
  return { ofSubject: new Decimal(row?.ofSubject ?? 0), ofPerson: new Decimal(row?.ofPerson ?? 0) };
}

export function insertAlone(tx: Tx, { subject, decidedBy, at, amount, currency }: Alone): void {
  const row = { subject, decidedBy, day: dayOf(at), amount: amount.toFixed(), currency };
  tx.defer(table('decided_alone').insert(row));
}
