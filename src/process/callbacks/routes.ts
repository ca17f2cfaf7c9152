import type { IncomingHttpHeaders } from 'node:http';
import type { Logger } from 'pino';
import { type RawRequest, type Route, route } from '../../http/route';
import type { Database, Tx } from '../../kernel/db/database';
import { invalid, Problem, unavailable } from '../../kernel/errors';
import { newId } from '../../kernel/ids';
import type { Keyring } from '../../kernel/security/keyring';
import type { Sealer } from '../../kernel/security/sealer';
import { PartyAway, UnreadableCallback } from '../party-errors';
import { createForgedCount, showUnreadable } from './operations';
import { insertVerified, type NewCallback, noteHandled } from './store';

export interface Verified {
  /** The party's id of the message. A repeat has the same. */
  externalId: string;
}

export interface CallbackSpec<V extends Verified> {
  /** The calling party: `checkout`, `payouts` … Never a company's name, because it is part of the path. */
  party: string;
  path: string;
  /**
   * Undefined when the signature is wrong or too old.
   * @throws UnreadableCallback the message is signed but unreadable
   */
  verify(raw: Buffer, headers: IncomingHttpHeaders): V | undefined | Promise<V | undefined>;
  /**
   * Acts on the message in the transaction that stores it: wakes a workflow, and never moves money. A message about no
   * record of ours has an outcome too.
   * @returns the outcome, as a code
   */
  handle(tx: Tx, callback: V): Promise<string>;
}

/** Limit of a body in bytes, far above any party's message. */
const BODY_LIMIT = 64 * 1024;

/** Headers to store. They hold neither signatures nor credentials. */
const KEPT_HEADERS = ['content-type', 'content-length', 'user-agent', 'date', 'x-request-id'] as const;

export interface CallbackServices {
  database: Database;
  keyring: Keyring;
  log: Logger;
  /** Counts a callback that could not be verified. */
  observeForged(party: string): void;
  /** Counts a callback that is signed but unreadable. */
  observeUnusable(party: string, what: 'callback'): void;
}

/**
 * The route of a party's callbacks. A verified message is stored and handled once, in one transaction; a repeat gets
 * the same answer without an effect. An unverified message is counted and answered with 401 (decisions part 2). A
 * signed but unreadable one is shown to a person and answered with 400.
 */
export function callbackRoute<V extends Verified>(services: CallbackServices, spec: CallbackSpec<V>): Route {
  const { party } = spec;
  const sealer = services.keyring.sealer('callbacks');
  const countForged = createForgedCount(services, party);
  return route({
    method: 'POST',
    path: spec.path,
    tag: 'Callbacks',
    summary: `Callback of the ${party} provider`,
    role: 'public',
    raw: { limit: BODY_LIMIT },
    idempotency: 'ignored',
    async prepare(request) {
      const raw = rawOf(request.raw);
      const verified = await verify(services, spec, raw);
      if (verified) return verified;
      services.observeForged(party);
      await countForged(raw.bytes);
      throw new Problem(401, 'unauthorized', 'The signature is wrong or too old.');
    },
    async write(tx, request, verified: V) {
      const callback = received(party, rawOf(request.raw), verified.externalId, sealer);
      if (!(await insertVerified(tx, callback))) return {};
      noteHandled(tx, callback.id, await spec.handle(tx, verified));
      return {};
    },
  });
}

/** Verifies a message. Verification may ask the party, so an outage is a 503 and the party sends the message again. */
async function verify<V extends Verified>(
  services: CallbackServices,
  spec: CallbackSpec<V>,
  raw: RawRequest,
): Promise<V | undefined> {
  try {
    return await spec.verify(raw.bytes, raw.headers);
  } catch (error) {
    if (error instanceof UnreadableCallback) {
      services.observeUnusable(spec.party, 'callback');
      await showUnreadable(services, spec.party, raw.bytes);
      throw invalid('The message cannot be read.');
    }
    throw error instanceof PartyAway ? unavailable() : error;
  }
}

function received(
  party: string,
  { bytes, headers }: RawRequest,
  externalId: string,
  sealer: Pick<Sealer, 'seal'>,
): NewCallback {
  const id = newId('callback');
  const kept = KEPT_HEADERS.flatMap((name) => {
    const value = headers[name];
    return typeof value === 'string' ? [[name, value.slice(0, 500)]] : [];
  });
  return {
    id,
    party,
    externalId,
    body: sealer.seal(bytes, id),
    headers: Object.fromEntries(kept) as Record<string, string>,
  };
}

function rawOf(raw: RawRequest | undefined): RawRequest {
  if (!raw) throw new Error('the route does not take raw bodies');
  return raw;
}
