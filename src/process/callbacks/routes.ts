import type { IncomingHttpHeaders } from 'node:http';
import type { Logger } from 'pino';
import { type RawRequest, type Route, route } from '../../http/route';
import type { Database, Tx } from '../../kernel/db/database';
import { invalid, Problem, unavailable } from '../../kernel/errors';
import { newId } from '../../kernel/ids';
import type { Keyring } from '../../kernel/security/keyring';
import { PartyAway, UnreadableCallback } from '../party-errors';
import { createForgedCount, showUnreadable } from './operations';
import { insertVerified, type NewCallback, noteHandled } from './store';

/** What a party's signature vouches for: its own name for the message, and what the message is about. */
export interface Verified {
  /** The same when it is sent again. */
  externalId: string;
}

export interface CallbackSpec<V extends Verified> {
  /** Who calls: `checkout`, `payouts` … Never a company's name: it stands in the path. */
  party: string;
  path: string;
  /** Nothing when the signature is wrong, or too old. @throws UnreadableCallback it is signed, and cannot be read */
  verify(raw: Buffer, headers: IncomingHttpHeaders): V | undefined | Promise<V | undefined>;
  /**
   * What the message makes us do, in the transaction that keeps it: a workflow is told to look, and money never moves. A
   * message that names nothing of ours is an outcome too.
   * @returns the outcome, as a code
   */
  handle(tx: Tx, callback: V): Promise<string>;
}

/** Bytes of a body: no message of a party comes near. */
const BODY_LIMIT = 64 * 1024;

/** What is kept of the headers: neither signatures nor credentials. */
const KEPT_HEADERS = ['content-type', 'content-length', 'user-agent', 'date', 'x-request-id'] as const;

/** What a callback needs of the services. */
export interface CallbackServices {
  database: Database;
  keyring: Keyring;
  log: Logger;
  /** Called for each one that could not be verified. */
  observeForged(party: string): void;
  /** Called for each one that is signed and cannot be read. */
  observeUnusable(party: string, what: 'callback'): void;
}

/**
 * Where an outside party tells us that something has happened. What is verified is kept once and handled in the same
 * transaction; what comes again has no effect and is answered alike; what cannot be verified is counted, answered 401, and
 * moves nothing (decisions part 2); what is signed and cannot be read is shown to a person, and answered 400.
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
      throw new Problem(401, 'unauthorized', 'The signature does not vouch for this message.');
    },
    async write(tx, request, verified: V) {
      const callback = received(party, rawOf(request.raw), verified.externalId, sealer);
      if (!(await insertVerified(tx, callback))) return {};
      noteHandled(tx, callback.id, await spec.handle(tx, verified));
      return {};
    },
  });
}

/** The party may have to be asked what a message is about: where it cannot be reached, 503 makes it send it again. */
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

/** What is kept of a message. */
function received(
  party: string,
  { bytes, headers }: RawRequest,
  externalId: string,
  sealer: Pick<Keyring, 'seal'>,
): NewCallback {
  const id = newId('callback');
  const kept = KEPT_HEADERS.flatMap((name) => {
    const value = headers[name];
    return typeof value === 'string' ? [[name, value.slice(0, 500)]] : [];
  });
  return {
    ...{ id, party, externalId },
    body: sealer.seal(bytes, id),
    headers: Object.fromEntries(kept) as Record<string, string>,
  };
}

function rawOf(raw: RawRequest | undefined): RawRequest {
  if (!raw) throw new Error('the route does not take raw bodies');
  return raw;
}
