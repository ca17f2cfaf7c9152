import type { Database, Sql, Tx } from '../../../../src/kernel/db/database';
import type { ChainAddress } from '../../../../src/parties/chain/port';
import type { Parties } from '../../../../src/parties/parties';
import { PartyAway } from '../../../../src/process/party-errors';
import type { Services } from '../../../../src/services';

/** The process died there: what was committed before stands, and nothing after it was done. */
export class Crash extends Error {
  override name = 'Crash';
}

/**
 * The same services, of a process that may die before and after whatever it asks of Postgres or of a party, within its
 * transactions too; and parties whose answers may be lost once the work is done.
 * @param fails asked at each such place
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

/** A chain is asked by its nodes. */
const forgetfulParty = (party: Parties[keyof Parties], fails: () => boolean): object =>
  'of' in party
    ? { of: (address: ChainAddress) => forgetful(party.of(address), fails) }
    : forgetful(party, fails);

/** Each call may fail before it is made, and be done and its answer lost. */
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
