import type { Sql } from '../../kernel/db/database';
import { isId } from '../../kernel/ids';
import type { WorkflowCommand } from '../../kernel/outbox/commands';
import { isClosed } from './rules';
import { findCard } from './store';
import { findTokenization } from './tokenization-store';
import { lookAtClosure, lookAtIssuance, lookAtTokenization } from './workflows';

/** Where the card processor tells of its orders. */
export const PROCESSOR_CALLBACKS = '/callbacks/card-processor';

/** Keys of our orders, one a record: asking again gives the outcome of the first. The processor tells of them by these. */
const ISSUE = 'issue-';
const CLOSE = 'close-';
const TOKENIZE = 'tokenize-';
export const orderKey = (cardId: string): string => ISSUE + cardId;
export const closureKey = (cardId: string): string => CLOSE + cardId;
export const tokenizationKey = (tokenizationId: string): string => TOKENIZE + tokenizationId;

/**
 * The workflow that waits for what the processor says of that order, told to look.
 * @returns `ended` where nobody waits any more, nothing where no order of ours has that key
 */
export async function lookFor(sql: Sql, key: string): Promise<WorkflowCommand | 'ended' | undefined> {
  if (key.startsWith(TOKENIZE)) {
    const tokenization = await findTokenization(sql, key.slice(TOKENIZE.length));
    return tokenization && (tokenization.status === 'pending' ? lookAtTokenization(tokenization) : 'ended');
  }
  const prefix = [ISSUE, CLOSE].find((each) => key.startsWith(each));
  const id = key.slice(prefix?.length);
  const card = prefix !== undefined && isId('card', id) ? await findCard(sql, null, id) : undefined;
  if (!card) return undefined;
  if (prefix === ISSUE) return card.status === 'pending' ? lookAtIssuance(card) : 'ended';
  return isClosed(card.status) && card.processorClosedAt === null ? lookAtClosure(card) : 'ended';
}
