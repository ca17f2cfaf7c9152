import type { Sql } from '../../kernel/db/database';
import { type FoundRecord, foundRecords } from '../../kernel/db/found';
import { type IdKind, PREFIXES } from '../../kernel/ids';
import type { Permission } from '../../kernel/permissions';

/** A way to find records by a text that a person has: an external id, a reference, the last four digits of a card. */
export interface Finder {
  /** `user-by-external-id`. Unique in the installation. */
  name: string;
  /** Which text finds which records, for people. */
  title: string;
  /** Default: `view`. */
  permission?: Permission;
  /** The form of such a text. A text of another form is not looked up. */
  pattern: RegExp;
  /** Finds records, newest first. The statement uses an index. */
  find(text: string, limit: number): Promise<FoundRecord[]>;
}

/** Declares how records are found by a text. */
export const finder = (spec: Finder): Finder => spec;

/** Finds records of these kinds by the beginning of their id. The primary key serves it. */
export function finderById(
  sql: Sql,
  { table, kinds, noun, status }: { table: string; kinds: readonly IdKind[]; noun: string; status?: string },
): Finder {
  const prefixes = kinds.map((kind) => PREFIXES[kind]).join('|');
  return finder({
    name: `${noun.replaceAll(' ', '-')}-by-id`,
    title: `the beginning of the id of ${/^[aeio]/.test(noun) ? 'an' : 'a'} ${noun}`,
    pattern: new RegExp(`^(${prefixes})_[0-9a-z]{3,25}$`),
    find: (text, limit) =>
      foundRecords(sql, { table, column: 'id', text, begins: true, ...(status ? { status } : {}) }, limit),
  });
}
