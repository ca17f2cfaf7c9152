import type { ChainNode } from '../../../../src/parties/chain/port';
import type { Services } from '../../../../src/services';
import { withParties } from './support';

/** The services of a process that ends at its so-many-th call of the chain, the signer or the database. */
export function brokenOff(services: Services, place: number, moment: 'before' | 'after') {
  let calls = 0;
  let broke = false;
  const counted =
    <A extends unknown[], R>(call: (...given: A) => Promise<R>) =>
    async (...given: A): Promise<R> => {
      const isIt = calls === place;
      calls += 1;
      if (isIt) broke = true;
      if (isIt && moment === 'before') throw new Error('the process has ended');
      const result = await call(...given);
      if (isIt) throw new Error('the process has ended');
      return result;
    };
  const { chain, signer } = services.parties;
  const broken = withParties(services, {
    chain: {
      of(address) {
        const node = chain.of(address);
        return new Proxy(node, {
          get: (of, name: keyof ChainNode) =>
            counted<unknown[], unknown>((of[name] as (...given: unknown[]) => Promise<unknown>).bind(of)),
        });
      },
    },
    signer: {
      ...signer,
      sign: counted(signer.sign.bind(signer)),
      signAuthorization: counted(signer.signAuthorization.bind(signer)),
    },
  });
  const { database } = services;
  const transaction: Services['database']['transaction'] = (work, options) =>
    counted(() => database.transaction(work, options))();
  return { services: { ...broken, database: { ...database, transaction } }, broke: () => broke };
}
