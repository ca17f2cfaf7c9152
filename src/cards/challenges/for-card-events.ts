/**
 * Queries that authorizations need. Card events import them from here because the challenge operations depend on card
 * events.
 */
export { challengesWrite, lockChallengesOf } from './store';
