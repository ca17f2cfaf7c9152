import { channel } from 'node:diagnostics_channel';
import type { MovedAmount, Observers, TransferTurn } from './observers';

/**
 * Publishes the effects of committed transactions for counters. Channels instead of observers, because a book and the step of a transfer receive
 * no services. Without a subscriber nothing is gathered.
 */

const moved = channel('cardwright:money-moved');
const turned = channel('cardwright:transfers-turned');

export const isMovedCounted = (): boolean => moved.hasSubscribers;
export const publishMoved = (amounts: readonly MovedAmount[]): void => moved.publish(amounts);

export const areTurnsCounted = (): boolean => turned.hasSubscribers;
export const publishTurns = (turns: readonly TransferTurn[]): void => turned.publish(turns);

/** Counts the commits of this process until `stop`. */
export function countCommitted({
  observeMoved,
  observeTurn,
}: Pick<Observers, 'observeMoved' | 'observeTurn'>): { stop(): void } {
  const onMoved = (amounts: unknown) => {
    for (const amount of amounts as readonly MovedAmount[]) observeMoved(amount);
  };
  const onTurned = (turns: unknown) => {
    for (const turn of turns as readonly TransferTurn[]) observeTurn(turn);
  };
  moved.subscribe(onMoved);
  turned.subscribe(onTurned);
  return {
    stop() {
      moved.unsubscribe(onMoved);
      turned.unsubscribe(onTurned);
    },
  };
}
