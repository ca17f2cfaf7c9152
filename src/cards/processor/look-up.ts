import type { Database } from '../../kernel/db/database';
import { createLane, GATHERING, type Queued } from '../events/batches/lane';
import { type FoundMessage, lookUpMessages, type MessageLookup } from './store';

interface Waiting extends Queued {
  lookup: MessageLookup;
  resolve(found: FoundMessage): void;
  reject(error: unknown): void;
}

export type LookUp = (lookup: MessageLookup) => Promise<FoundMessage>;

/**
 * Looks up messages that arrive together in one statement. Messages wait for each other as judgements do, so that one
 * transaction judges them.
 */
export function createLookUp(database: Database): LookUp {
  const lane = createLane<Waiting>({
    mostAtOnce: 1,
    gathering: GATHERING,
    async run(batch) {
      try {
        const found = await lookUpMessages(
          database,
          batch.map(({ lookup }) => lookup),
        );
        for (const [index, { resolve }] of batch.entries()) resolve(found[index] ?? {});
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    },
  });
  return ({ messageId, cardReference }) =>
    new Promise((resolve, reject) =>
      lane.push({ since: performance.now(), lookup: { messageId, cardReference }, resolve, reject }),
    );
}
