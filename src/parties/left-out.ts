import { PartyAway } from '../process/party-errors';

/**
 * A party that the installation does without: nothing is asked of it. Its endpoints are off, so only what was given to it before
 * comes here, and waits.
 */
export const leftOut = <Port extends object>(): Port =>
  new Proxy({} as Port, {
    // Nobody's promise: a port is handed about.
    get: (_, name) => (name === 'then' ? undefined : away),
  });

const away = () => Promise.reject(new PartyAway('the party is left out'));
