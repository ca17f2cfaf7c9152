/** Challenges that authorizations use. Card events import them from here, because the operations need services that hold card events. */
export { challengesWrite, lockChallengesOf } from './store';
