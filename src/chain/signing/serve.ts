import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { audit } from '../../kernel/audit/audit';
import type { Database } from '../../kernel/db/database';
import { lookoutOf, NONE } from '../../kernel/db/lookout';
import { StartupError } from '../../kernel/startup-error';
import { HeldKeyFault } from '../../parties/signer/held/key';
import type { Signer } from '../../parties/signer/port';
import {
  answerRequest,
  forgetForsaken,
  OPEN_REQUESTS,
  type OpenRequest,
  openRequests,
  readRequest,
  type SigningAnswer,
  type SigningRequest,
} from '../../parties/signer/requests';
import { openBreakAgain, openBreaksOf } from '../../process/breaks/operations';
import { closeAway, showFault } from './held-keys';
import { SIGNER } from './in-force';

/** Judges a request. @returns a sentence why it is refused; undefined when it may be signed */
export type Judge = (request: SigningRequest) => Promise<string | undefined>;

export interface ServingOptions {
  database: Database;
  log: Logger;
  /** Signs whatever it is given. */
  signer: Signer;
  judge: Judge;
  /** Looks at the lists, and compares the stored public keys with the seed. @throws StartupError for other keys */
  check(): Promise<void>;
  /** The machine's time. */
  now: () => Date;
  /** Addresses of held keys whose last request has failed. A signature closes the break. */
  faulty: Set<string>;
}

/** Requests that are judged together. */
const AT_ONCE = 32;
const FAILED_MS = 1_000;
const CHECKS_MS = 30_000;

/** Kind of the break of a refusal. A person resolves it, because it may be a thief's attempt. */
const REFUSED = 'signing_refused';

/** Answers the requests of other processes until it is stopped. Listens nowhere. */
export function serveSigning(options: ServingOptions): { stop(): Promise<void> } {
  const { database, log } = options;
  const stopping = new AbortController();
  const pause = (ms: number) => sleep(ms, undefined, { signal: stopping.signal }).catch(() => undefined);

  async function run(): Promise<void> {
    let checkedAt = Number.NEGATIVE_INFINITY;
    while (!stopping.signal.aborted) {
      try {
        const { answered, waiting } = await answerOpen(options);
        if (performance.now() - checkedAt > CHECKS_MS) {
          checkedAt = performance.now();
          await forgetForsaken(database);
          await checkAll(options);
        }
        if (answered === 0 && waiting > 0) await pause(FAILED_MS);
        else if (answered === 0)
          await lookoutOf(database).until(OPEN_REQUESTS, NONE, {
            signal: stopping.signal,
            mostMs: CHECKS_MS,
          });
      } catch (error) {
        log.warn({ err: error }, 'the signing process cannot answer; it tries again');
        await pause(FAILED_MS);
      }
    }
  }

  const running = run();
  return {
    async stop() {
      stopping.abort();
      await running;
    },
  };
}

/** Shows people a seed or public keys that another process has changed. */
async function checkAll({ database, log, check }: ServingOptions): Promise<void> {
  try {
    await check();
  } catch (error) {
    if (!(error instanceof StartupError)) throw error;
    log.error({ err: error }, "the wallets' seed is not as it was");
    const { message: detail } = error;
    await openBreakAgain(database, {
      tenantId: null,
      kind: 'wallet_seed_changed',
      subject: 'wallet-seed',
      detail,
    });
  }
}

/** Answers the requests that wait now. @returns how many, and how many still wait for a held key */
export async function answerOpen(options: ServingOptions): Promise<{ answered: number; waiting: number }> {
  const open = await openRequests(options.database, AT_ONCE);
  const answers = await Promise.all(open.map((each) => answerOrWait(options, each)));
  const answered = answers.filter((isAnswered) => isAnswered).length;
  return { answered, waiting: open.length - answered };
}

/** A request whose held key gives no signature stays open, because nothing was signed. */
async function answerOrWait(options: ServingOptions, open: OpenRequest): Promise<boolean> {
  try {
    await answerOne(options, open);
    return true;
  } catch (error) {
    if (!(error instanceof HeldKeyFault)) throw error;
    options.faulty.add(error.address);
    await showFault(options.database, options.log, error);
    return false;
  }
}

async function answerOne(options: ServingOptions, { digest, request: stored }: OpenRequest): Promise<void> {
  const { database, signer, judge } = options;
  const request = readRequest(stored);
  if (!request) return refuse(options, digest, undefined, 'It is not readable.');
  const refusal = await judge(request);
  if (refusal !== undefined) return refuse(options, digest, request, refusal);
  const answer = await signed(signer, request);
  if ('refused' in answer) return refuse(options, digest, request, answer.refused);
  await answerRequest(database, digest, answer);
  if (request.kind === 'transaction' && options.faulty.delete(request.transaction.from))
    await closeAway(database, { address: request.transaction.from }, options.now());
}

/** @throws Error for a seed that cannot be opened now, and for a held key that does not sign, so that the request waits */
async function signed(signer: Signer, request: SigningRequest): Promise<SigningAnswer> {
  try {
    return request.kind === 'transaction'
      ? { signed: await signer.sign(request.index, request.transaction) }
      : { authorized: await signer.signAuthorization(request.index, request.authorization) };
  } catch (error) {
    if (error instanceof StartupError || error instanceof HeldKeyFault) throw error;
    return { refused: `It cannot be signed: ${(error as Error).message}.` };
  }
}

/** Answers with the reason, and shows it to people. The audit log has a line for each new reason, not for each repeat. */
async function refuse(
  { database, log }: ServingOptions,
  digest: string,
  request: SigningRequest | undefined,
  reason: string,
): Promise<void> {
  const subject = request ? subjectOf(request) : 'signing';
  log.warn({ subject, reason }, 'a signature was refused');
  await database.transaction(async (tx) => {
    const known = await openBreaksOf(tx, subject);
    if (!known.some(({ kind, detail }) => kind === REFUSED && detail === reason)) {
      await openBreakAgain(tx, { tenantId: null, kind: REFUSED, subject, detail: reason });
      await audit(tx, {
        caller: SIGNER,
        requestId: randomUUID(),
        tenantId: null,
        action: 'signing.refuse',
        subject,
        after: { reason, request: request ? factsOf(request) : digest },
      });
    }
    await answerRequest(tx, digest, { refused: reason });
  });
}

const subjectOf = (request: SigningRequest): string =>
  request.kind === 'transaction' ? `address:${request.transaction.from}` : `wallet-index:${request.index}`;

/** The fields by which people recognise a request. */
const factsOf = (request: SigningRequest): object =>
  request.kind === 'transaction'
    ? {
        chainId: request.transaction.chainId,
        from: request.transaction.from,
        to: request.transaction.to,
        value: request.transaction.value.toString(),
        nonce: request.transaction.nonce,
      }
    : request.authorization;
