import type { Knex } from 'knex';
import type { Database } from '../../src/kernel/db/database';
import type { ChainNode } from '../../src/parties/chain/port';
import type { Services } from '../../src/services';

/**
 * Ends a process after each of its calls in turn, until a run passes undisturbed. An end before a call is the same as
 * an end after the previous call.
 * @param live starts the process with services that end after one call, and then completes it with working services
 * @returns the number of calls
 */
export async function atEachCall(
  services: Services,
  live: (broken: Services) => Promise<void>,
): Promise<number> {
  for (let place = 0; ; place += 1) {
    const broken = brokenOff(services, place);
    await live(broken.services);
    if (!broken.broke()) return place;
  }
}

/** Returns the number of calls of an undisturbed process. */
export async function callsOf(
  services: Services,
  live: (counted: Services) => Promise<void>,
): Promise<number> {
  const { services: counted, calls } = brokenOff(services, Number.POSITIVE_INFINITY);
  await live(counted);
  return calls();
}

/**
 * Returns the services of a process that ends after a given call of the chain, the signer or the database. Reads of the
 * database do not count, because an end there equals an end before or after the neighbouring calls.
 * @param end ends the process; its work throws by default
 * @param writesAlone true: reads of the chain do not count either
 */
export function brokenOff(
  services: Services,
  place: number,
  { end = hasEnded, writesAlone = false }: { end?: () => never; writesAlone?: boolean } = {},
) {
  let calls = 0;
  let broke = false;
  const counted: Counted =
    (call) =>
    async (...given) => {
      // An ended process does nothing more.
      if (broke) return end();
      const isIt = calls === place;
      calls += 1;
      if (!isIt) return call(...given);
      // A process may end after a refusal, too.
      await call(...given).catch(() => undefined);
      broke = true;
      return end();
    };
  const { chain, signer } = services.parties;
  const parties = {
    ...services.parties,
    chain: {
      of: (address: Parameters<typeof chain.of>[0]) => countedNode(chain.of(address), counted, writesAlone),
    },
    signer: {
      ...signer,
      sign: counted(signer.sign.bind(signer)),
      signAuthorization: counted(signer.signAuthorization.bind(signer)),
    },
  };
  return {
    services: { ...services, parties, database: countedDatabase(services.database, counted) },
    broke: () => broke,
    calls: () => calls,
  };
}

function hasEnded(): never {
  throw new Error('the process has ended');
}

type Counted = <A extends unknown[], R>(call: (...given: A) => Promise<R>) => (...given: A) => Promise<R>;

const countedNode = (node: ChainNode, counted: Counted, writesAlone: boolean): ChainNode =>
  new Proxy(node, {
    get(of, name: keyof ChainNode) {
      const call = (of[name] as (...given: unknown[]) => Promise<unknown>).bind(of);
      return writesAlone && name !== 'broadcast' ? call : counted(call);
    },
  });

const isReading = (text: string): boolean => /^\s*select\b/i.test(text);

function countedDatabase(database: Database, counted: Counted): Database {
  const transaction: Database['transaction'] = (work, options) =>
    counted(() => database.transaction(work, options))();
  return {
    ...database,
    transaction,
    run<Row>(query: Knex.QueryBuilder) {
      const run = () => database.run<Row>(query);
      return isReading(query.toQuery()) ? run() : counted(run)();
    },
    query<Row>(text: string, values?: unknown[]) {
      const run = () => database.query<Row>(text, values);
      return isReading(text) ? run() : counted(run)();
    },
  };
}
