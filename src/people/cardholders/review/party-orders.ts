import type { Sql } from '../../../kernel/db/database';
import type { Cardholder } from '../record';
import { findCardholder } from '../store';

/** Where the reviewer tells of its applications. */
export const REVIEW_CALLBACKS = '/callbacks/cardholder-review';

/** One a submission: asking again gives the outcome of the first. The reviewer tells of it by this. */
export const submissionKey = ({ id, submissions }: Pick<Cardholder, 'id' | 'submissions'>): string =>
  `submission-${id}-${submissions}`;

/** Whose submission that key is, an earlier one too; nothing where it is none of ours. */
export async function findSubmitted(sql: Sql, key: string): Promise<Cardholder | undefined> {
  const [, id] = /^submission-(\w+)-\d{1,9}$/.exec(key) ?? [];
  return id === undefined ? undefined : findCardholder(sql, null, id);
}
