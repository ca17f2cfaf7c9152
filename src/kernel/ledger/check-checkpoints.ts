import { createHash } from 'node:crypto';
import type { Sql } from '../db/database';
import { Decimal, ZERO } from '../money/money';
import { addLine, type Checkpoint, checkpoints, digestOf, keptNow, subjectOf } from './checkpoints';
import type { LedgerProblem } from './problem';

/** Proofs of checkpoints and of their files. */

/** The action of a checkpoint's entry in the audit log. */
export const CHECKPOINT_ACTION = 'ledger.checkpoint';

/**
 * Compares each checkpoint with its digest in the audit log and with the entries that it left. Opening balances must sum
 * to zero, and each equals the balance after the account's last entry. `audit verify` proves the audit log.
 */
export async function checkpointProblems(tx: Sql): Promise<LedgerProblem[]> {
  const problems: LedgerProblem[] = [];
  let before: Checkpoint | undefined;
  for (const checkpoint of await checkpoints(tx)) {
    const subject = subjectOf(checkpoint.number);
    const told = await toldDigests(tx, subject);
    const digest = await digestOf(tx, checkpoint);
    if (told.length !== 1 || told[0] !== digest)
      problems.push({
        problem: 'checkpoint differs from the audit log',
        subject,
        detail: `${digest} <> ${told.join(', ') || 'nothing'}`,
      });
    const now = await keptNow(tx, checkpoint, before);
    if (!now.hash.equals(checkpoint.keptHash))
      problems.push({
        problem: 'entries before a checkpoint were changed',
        subject,
        detail: `${now.kept} entries, ${checkpoint.kept} were kept`,
      });
    problems.push(...(await openingProblems(tx, checkpoint.number, subject)));
    before = checkpoint;
  }
  return problems;
}

async function toldDigests(tx: Sql, subject: string): Promise<(string | null)[]> {
  const rows = await tx.query<{ digest: string | null }>(
    `select after ->> 'digest' as digest from audit_log where subject = $1 and action = $2 order by id`,
    [subject, CHECKPOINT_ACTION],
  );
  return rows.map(({ digest }) => digest);
}

const openingProblems = (tx: Sql, number: number, subject: string): Promise<LedgerProblem[]> =>
  tx.query<LedgerProblem>(
    `select 'opening balances do not sum to zero' as problem, $2::text as subject,
            a.currency || ' ' || sum(o.available + o.pending) as detail
       from ledger_openings o join ledger_accounts a on a.id = o.account_id
      where o.checkpoint = $1 group by a.currency having sum(o.available + o.pending) <> 0
     union all
     select 'opening balance differs from the last entry', $2, o.account_id
       from ledger_openings o
      where o.checkpoint = $1 and o.number is not null
        and not exists (select from ledger_legs l
                         where l.account_id = o.account_id and l.number = o.number and l.balance_available = o.available
                           and l.balance_pending = o.pending and l.balance_spent = o.spent)`,
    [number, subject],
  );

/** The file of a checkpoint. */
export interface Archive {
  name: string;
  /** Reads the file from its beginning. @returns its lines without line feeds */
  lines(): AsyncIterable<string>;
}

/** Entries of a file by posting and by account. */
interface Sums {
  hash: string;
  /** Postings that do not sum to zero. */
  unbalanced: string[];
  /** Changes of available, pending and spent by account. */
  byAccount: Map<string, Changes>;
}

type Changes = readonly [available: Decimal, pending: Decimal, spent: Decimal];

/**
 * Proves files of checkpoints: the hash is a checkpoint's, each posting sums to zero, and the entries of each account lead
 * from one opening balance to the next.
 */
export async function archiveProblems(tx: Sql, archives: readonly Archive[]): Promise<LedgerProblem[]> {
  const known = archives.length > 0 ? await checkpoints(tx) : [];
  const problems: LedgerProblem[] = [];
  for (const { name, lines } of archives) {
    const sums = await sumsOf(lines());
    const checkpoint = known.find(({ fileHash }) => fileHash.toString('hex') === sums.hash);
    if (!checkpoint)
      problems.push({
        problem: 'archive belongs to no checkpoint',
        subject: name,
        detail: `SHA-256 ${sums.hash}`,
      });
    problems.push(
      ...sums.unbalanced.map((posting) => ({
        problem: 'posting does not sum to zero',
        subject: posting,
        detail: name,
      })),
    );
    if (checkpoint) problems.push(...(await differences(tx, checkpoint.number, sums.byAccount, name)));
  }
  return problems;
}

interface Line {
  posting: number;
  account: string;
  currency: string;
  available: string;
  pending: string;
  spent: string;
}

async function sumsOf(lines: AsyncIterable<string>): Promise<Sums> {
  const hash = createHash('sha256');
  const unbalanced: string[] = [];
  const byAccount = new Map<string, Changes>();
  let posting: number | undefined;
  let byCurrency = new Map<string, Decimal>();
  const endPosting = () => {
    if ([...byCurrency.values()].some((sum) => !sum.isZero())) unbalanced.push(String(posting));
    byCurrency = new Map();
  };
  for await (const line of lines) {
    addLine(hash, line);
    const leg = lineOf(line);
    if (!leg) continue; // the hash reports it
    if (leg.posting !== posting) endPosting();
    posting = leg.posting;
    const [available, pending, spent] = [leg.available, leg.pending, leg.spent].map(
      (text) => new Decimal(text),
    ) as [Decimal, Decimal, Decimal];
    byCurrency.set(leg.currency, (byCurrency.get(leg.currency) ?? ZERO).plus(available).plus(pending));
    const [a, p, s] = byAccount.get(leg.account) ?? [ZERO, ZERO, ZERO];
    byAccount.set(leg.account, [a.plus(available), p.plus(pending), s.plus(spent)]);
  }
  endPosting();
  return { hash: hash.digest('hex'), unbalanced, byAccount };
}

function lineOf(line: string): Line | undefined {
  try {
    return JSON.parse(line) as Line;
  } catch {
    return undefined;
  }
}

/** Accounts whose entries in the file do not lead from the opening balance before to the checkpoint's. */
async function differences(
  tx: Sql,
  number: number,
  byAccount: ReadonlyMap<string, Changes>,
  name: string,
): Promise<LedgerProblem[]> {
  const rows = await tx.query<{ account_id: string; available: string; pending: string; spent: string }>(
    `select o.account_id, o.available - coalesce(b.available, 0) as available, o.pending - coalesce(b.pending, 0) as pending,
            o.spent - coalesce(b.spent, 0) as spent
       from ledger_openings o
       left join ledger_openings b on b.checkpoint = o.checkpoint - 1 and b.account_id = o.account_id
      where o.checkpoint = $1`,
    [number],
  );
  return rows
    .filter(({ account_id, available, pending, spent }) => {
      const [a, p, s] = byAccount.get(account_id) ?? [ZERO, ZERO, ZERO];
      return !a.eq(available) || !p.eq(pending) || !s.eq(spent);
    })
    .map(({ account_id: subject }) => ({
      problem: 'opening balance differs from the archive',
      subject,
      detail: name,
    }));
}
