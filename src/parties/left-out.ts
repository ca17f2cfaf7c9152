import { PartyAway } from '../process/party-errors';

/**
 * Stands in for a party that the installation leaves out. Its endpoints are off, so only earlier orders reach it, and
 * they wait.
 */
export const leftOut = <Port extends object>(): Port =>
  new Proxy({} as Port, {
    // A port must not look like a promise, because async functions would await it.
    get: (_, name) => (name === 'then' ? undefined : away),
  });

const away = () => Promise.reject(new PartyAway('the party is left out'));
