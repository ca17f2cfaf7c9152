import type { Card } from '../../../cards/record';
import { serves } from '../../../challenges/rules';
import type { Authentication, NetworkMessage } from '../../record';
import type { Board } from '../board';

/** Whether the challenge of a message authenticates it; undefined when the message names no challenge. */
export function authenticationOf(
  board: Board,
  { id: cardId }: Card,
  { challengeId, amount, currency, merchant }: NetworkMessage,
): Authentication | undefined {
  if (challengeId === undefined) return undefined;
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
