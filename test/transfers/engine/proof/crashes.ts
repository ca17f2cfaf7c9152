import type { Database, Sql, Tx } from '../../../../src/kernel/db/database';
import type { ChainAddress } from '../../../../src/parties/chain/port';
import type { Parties } from '../../../../src/parties/parties';
import { PartyAway } from '../../../../src/process/party-errors';
import type { Services } from '../../../../src/services';

/** A crash of the process. Work that was committed before it stands, and nothing after it is done. */
export class Crash extends Error {
  override name = 'Crash';
}

/**
 * Wraps the services of a process that may crash before and after each call to Postgres or to a party, also within a
 * transaction. Answers of parties may be lost after the work is done.
 * @param fails decides for each of these places
 */
export function crashing<S extends Services>(services: S, party: keyof Parties, fails: () => boolean): S {
  let isDead = false;
  const dies = () => {
    isDead ||= fails();
    if (isDead) throw new Crash();
  };
  return {
    ...services,
    database: crashingDatabase(services.database, dies),
    parties: { ...services.parties, [party]: forgetfulParty(services.parties[party], fails) },
  };
}

function crashingDatabase(database: Database, dies: () => void): Database {
  return {
    ...database,
    ...crashingSql(database, dies),
    async transaction(work, options) {
      dies();
      const result = await database.transaction((tx) => work(crashingTx(tx, dies)), options);
      dies();
      return result;
    },
  };
}

const crashingTx = (tx: Tx, dies: () => void): Tx => ({
  ...tx,
  ...crashingSql(tx, dies),
  defer(statement, then) {
    dies();
    tx.defer(statement, then);
  },
});

function crashingSql(sql: Sql, dies: () => void): Sql {
  const around =
    <A extends unknown[], R>(call: (...given: A) => Promise<R>) =>
    async (...given: A): Promise<R> => {
      dies();
      return call(...given);
    };
  return {
    run: around(sql.run) as Sql['run'],
    query: around(sql.query) as Sql['query'],
    prepared: around(sql.prepared) as Sql['prepared'],
  };
}

/** Wraps the party, or the nodes of a chain. */
const forgetfulParty = (party: Parties[keyof Parties], fails: () => boolean): object =>
  'of' in party
    ? { of: (address: ChainAddress) => forgetful(party.of(address), fails) }
    : forgetful(party, fails);

/** Wraps each call so that it may fail beforehand, or lose its answer afterwards. */
function forgetful<Party extends object>(party: Party, fails: () => boolean): Party {
  const calls = Object.entries(party).map(([name, value]) => {
    if (typeof value !== 'function') return [name, value] as const;
    const call = value as (...given: unknown[]) => unknown;
    const asked = async (...given: unknown[]) => {
      if (fails()) throw new PartyAway();
      const answer = await call(...given);
      if (fails()) throw fails() ? new Crash() : new PartyAway('the answer was lost');
      return answer;
    };
    return [name, asked] as const;
  });
  return Object.fromEntries(calls) as Party;
}
