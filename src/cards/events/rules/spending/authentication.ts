import type { Card } from '../../../cards/record';
import { serves } from '../../../challenges/rules';
import type { Authentication, NetworkMessage } from '../../record';
import type { Board } from '../board';

/**
 * Whether a message is authenticated, by its challenge or by the processor; undefined when it names neither.
 */
export function authenticationOf(
  board: Board,
  { id: cardId }: Card,
  { challengeId, authenticated, amount, currency, merchant }: NetworkMessage,
): Authentication | undefined {
  if (challengeId === undefined) return authenticated ? 'valid' : undefined;
  const challenge = board.challenge(challengeId);
  return challenge && serves(challenge, { cardId, amount, currency, merchant }) ? 'valid' : 'invalid';
}

/** Uses up the challenge of an approved authorization. */
export function useChallenge(
  board: Board,
  { challengeId }: NetworkMessage,
  authentication: Authentication | undefined,
): void {
  if (authentication === 'valid' && challengeId !== undefined) board.useChallenge(challengeId);
}
