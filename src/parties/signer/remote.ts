import { setTimeout as sleep } from 'node:timers/promises';
import { callOthers } from '../../kernel/db/calls';
import type { Database, Sql } from '../../kernel/db/database';
import { lookoutOf } from '../../kernel/db/lookout';
import { unavailable } from '../../kernel/errors';
import type { Keyring } from '../../kernel/security/keyring';
import type { ChainKind } from '../chain/port';
import { addressAt } from './local';
import { type Signer, SignerAway, SignerRefused } from './port';
import { digestOf, keepRequest, type SigningAnswer, type SigningRequest, takeAnswer } from './requests';
import { findSeed } from './seed';

/** How long a request waits for its answer. The step that asks is repeated later, and finds it then. */
const WAITS_MS = 3_000;
/** While the signing process seems away, so that waiting operations occupy no worker. */
const WAITS_AWAY_MS = 300;
/** How long an unanswered request counts as a sign of that. */
const AWAY_MS = 15_000;
/** Pauses before looks at the answer: the first one, and the longest. */
const LOOK_MS = [25, 200] as const;

/** Asks the signing process. Addresses need only the public keys, which every process of the product opens. */
export function createRemoteSigner({ database, keyring }: { database: Database; keyring: Keyring }): Signer {
  let unansweredAt = Number.NEGATIVE_INFINITY;
  /** Requests under way, by their content, so that an answer is read by all who wait for it here. */
  const asking = new Map<string, Promise<SigningAnswer>>();

  function answerTo(request: SigningRequest): Promise<SigningAnswer> {
    const digest = digestOf(request);
    const known = asking.get(digest);
    if (known) return known;
    const asked = ask(request, digest).finally(() => asking.delete(digest));
    asking.set(digest, asked);
    return asked;
  }

  async function ask(request: SigningRequest, digest: string): Promise<SigningAnswer> {
    let pause = (await keepRequest(database, request)) ? 0 : LOOK_MS[0];
    lookoutOf(database).wake(); // the signing process may be this one
    callOthers(database);
    const began = performance.now();
    const waits = began - unansweredAt < AWAY_MS ? WAITS_AWAY_MS : WAITS_MS;
    for (;;) {
      await sleep(pause);
      const answer = await takeAnswer(database, digest);
      if (answer) {
        unansweredAt = Number.NEGATIVE_INFINITY;
        return answer;
      }
      if (performance.now() - began > waits) break;
      pause = Math.min(Math.max(2 * pause, LOOK_MS[0]), LOOK_MS[1]);
    }
    unansweredAt = performance.now();
    throw new SignerAway();
  }

  return {
    async addresses(kind: ChainKind, indices: readonly number[], tx?: Sql) {
      // Share-locked, so that an import of another seed waits, and then finds the wallets of these addresses.
      const seed = await findSeed(tx ?? database, keyring, tx && { lock: 'share' });
      if (!seed) throw unavailable('There is no seed of wallets yet: the signing process makes it.');
      return indices.map((index) => addressAt(seed, kind, index));
    },
    async sign(index, transaction) {
      const answer = await answerTo({ kind: 'transaction', index, transaction });
      if ('signed' in answer) return answer.signed;
      throw refusal(answer);
    },
    async signAuthorization(index, given) {
      const { chainId, contract, nonce } = given;
      const answer = await answerTo({
        kind: 'authorization',
        index,
        authorization: { chainId, contract, nonce },
      });
      if ('authorized' in answer) return answer.authorized;
      throw refusal(answer);
    },
  };
}

const refusal = (answer: SigningAnswer): Error =>
  'refused' in answer
    ? new SignerRefused(answer.refused)
    : new Error('the signing process has answered another request');
