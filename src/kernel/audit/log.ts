import { createHash } from 'node:crypto';
import { filtered, table } from '../db/build';
import type { Sql } from '../db/database';

/** Reads and verifies the audit log. Only `audit.ts` writes it, and rows are only added (decisions part 1, Roles). */

export interface AuditEntry {
  id: string;
  at: Date;
  actor: string;
  action: string;
  subject: string | null;
  tenantId: string | null;
  requestId: string | null;
  before: unknown;
  after: unknown;
}

export interface AuditFilter {
  /** The id of a record. */
  subject?: string | undefined;
  /** An admin's client id, or `operator:<name>`. */
  actor?: string | undefined;
  /** Only entries before this number: the last of the previous page. */
  below?: string | undefined;
}

/** Lists entries, newest first. */
export function listAudit(
  sql: Sql,
  { below, subject, actor }: AuditFilter,
  limit: number,
): Promise<AuditEntry[]> {
  const entries = table('audit_log')
    .select('id', 'at', 'actor', 'action', 'subject', 'tenantId', 'requestId', 'before', 'after')
    .modify(filtered, { subject, actor })
    .orderBy('id', 'desc')
    .limit(limit);
  if (below !== undefined) void entries.where('id', '<', below);
  return sql.run<AuditEntry>(entries);
}

/** A link of the hash chain. Once written, the hash of a number never changes. */
export interface ChainHead {
  number: number;
  /** SHA-256, hex. */
  hash: string;
}

export interface AuditProof {
  /** Number of rows that were verified. */
  entries: number;
  /** The last link. An empty log has number 0 and no hash. */
  head: ChainHead;
  /** The number of known heads that were compared. */
  known: number;
  /** The first row that was changed, removed or moved. */
  broken?: { entryId: string; why: string };
}

const PAGE = 2_000;
const EMPTY: ChainHead = { number: 0, hash: '' };

/**
 * Computes the hash chain from its beginning and compares each link. Each hash covers the previous hash and the row's
 * content.
 * @param known heads that were noted earlier, in any order. Without one, rows removed from the end are not noticed.
 */
export async function verifyAudit(sql: Sql, known: readonly ChainHead[] = []): Promise<AuditProof> {
  const heads = [...known].sort((one, other) => one.number - other.number);
  let head = EMPTY;
  let compared = 0;
  const broken = (entryId: string, why: string): AuditProof => ({
    entries: head.number,
    head,
    known: compared,
    broken: { entryId, why },
  });
  for (;;) {
    const links = await linksAfter(sql, head.number);
    for (const link of links) {
      const why = faultOf(link, head);
      if (why !== undefined) return broken(link.entryId, why);
      for (; heads[compared]?.number === Number(link.number); compared += 1)
        if (heads[compared]?.hash !== link.hash) return broken(link.entryId, 'the chain was rewritten');
      head = { number: Number(link.number), hash: link.hash };
    }
    if (links.length < PAGE) break;
  }
  const later = heads[compared];
  if (later) return broken('-', `the chain ends before number ${later.number}`);
  const unchained = await firstUnchained(sql);
  if (unchained !== undefined) return broken(unchained, 'the entry is not in the chain');
  return { entries: head.number, head, known: compared };
}

/** The last link, without a proof. An empty log has number 0 and no hash. */
export async function presentHead(sql: Sql): Promise<ChainHead> {
  const [row] = await sql.run<{ number: string; hash: Buffer }>(
    table('audit_chain').select('number', 'hash').orderBy('number', 'desc').limit(1),
  );
  return row ? { number: Number(row.number), hash: row.hash.toString('hex') } : EMPTY;
}

interface Link {
  number: string;
  entryId: string;
  previous: string;
  hash: string;
  /** Null when the row was deleted from the log. */
  content: Buffer | null;
}

/** Raw SQL repeats how a row is hashed, because the database's own hash function may have been changed. */
function linksAfter(sql: Sql, number: number): Promise<Link[]> {
  return sql.query<Link>(
    `select c.number, c.entry_id as "entryId", encode(c.previous, 'hex') as previous, encode(c.hash, 'hex') as hash,
            case when a.id is not null then convert_to(jsonb_build_array(a.id, (extract(epoch from a.at) * 1000)::bigint,
              a.actor, a.action, a.subject, a.tenant_id, a.request_id, a.before, a.after)::text, 'UTF8') end as content
       from audit_chain c left join audit_log a on a.id = c.entry_id
      where c.number > $1 order by c.number limit ${PAGE}`,
    [number],
  );
}

/** @returns undefined when the link is valid */
function faultOf(link: Link, head: ChainHead): string | undefined {
  const number = Number(link.number);
  if (number !== head.number + 1)
    return `number ${head.number + 1} of the chain is missing before this entry`;
  if (link.content === null) return 'the entry is in the chain but no longer in the log';
  if (link.previous !== head.hash) return 'the entry does not follow the one before';
  const hash = createHash('sha256').update(Buffer.from(head.hash, 'hex')).update(link.content);
  if (hash.digest('hex') !== link.hash) return 'the content of the entry was changed';
  return undefined;
}

async function firstUnchained(sql: Sql): Promise<string | undefined> {
  const [row] = await sql.query<{ id: string | null }>(
    `select min(a.id) as id from audit_log a where not exists (select from audit_chain c where c.entry_id = a.id)`,
  );
  return row?.id ?? undefined;
}
