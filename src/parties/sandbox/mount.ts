import { createHmac } from 'node:crypto';
import type { Context, Middleware, Next } from 'koa';
import type { Logger } from 'pino';
import type { Database } from '../../kernel/db/database';
import { PARTIES, PARTY_NAMES, type PartyName } from '../../kernel/parties';
import type { ProductClock } from '../../kernel/product-clock';
import type { Keyring } from '../../kernel/security/keyring';
import { PARTY_DEFINITIONS, PARTY_PROTOCOLS } from '../definitions';
import { isAuthorized } from '../protocol/signature';
import type { SandboxRates } from '../rates/sandbox/table';
import { answer } from './answers';
import { createCallbackLoop } from './callbacks';
import { answerChanges } from './changes-route';
import type { SandboxParty } from './options';

const PREFIX = '/sandbox/providers';

/** Path of a party below the address of the process that serves the sandbox parties. */
export const partyPath = (party: PartyName): string => `${PREFIX}/${party}`;

/** Secret that a party and our adapter share. It signs callbacks and authorizes our requests. */
export const partySecret = (keyring: Keyring, party: PartyName): Buffer =>
  createHmac('sha256', keyring.secretFor('sandbox-parties')).update(party).digest();

interface Installation {
  mode: 'sandbox' | 'live';
  database: Database;
  keyring: Keyring;
  log: Logger;
  now: () => Date;
  /** Callbacks are signed with the machine's time. */
  productClock: Pick<ProductClock, 'machineNow'>;
  publicUrl(): string;
  /** Secret shared with the ordering installation. Absent: this installation's own. */
  secretOf?: (party: SandboxParty) => Buffer;
  /** Seconds from an order to its decision where no magic value sets them. Absent: the party's own pace. */
  decisionSeconds?: Partial<Record<SandboxParty, number | undefined>>;
  rates?: SandboxRates | undefined;
}

/** The sandbox parties that one process serves. */
export interface SandboxParties {
  /** Each below {@link PREFIX}. */
  middlewares: Middleware[];
  /** Sends callbacks until {@link SandboxParties.stop}. */
  start(): void;
  stop(): Promise<void>;
}

const NONE: SandboxParties = { middlewares: [], start: () => undefined, stop: () => Promise.resolve() };

export function createSandboxParties(services: Installation): SandboxParties {
  if (services.mode !== 'sandbox') return NONE;
  const { machineNow } = services.productClock;
  const { database, keyring, log, now, decisionSeconds = {} } = services;
  const { secretOf = (party: SandboxParty) => partySecret(keyring, party) } = services;
  const middlewares = PARTIES.map((defined) => {
    const party = PARTY_NAMES[defined];
    const publicUrl = () => services.publicUrl() + partyPath(party);
    const { rates } = services;
    const own = { database, keyring, now, publicUrl, rates, decisionSeconds: decisionSeconds[party] };
    const handle = PARTY_DEFINITIONS[defined].sandbox(own);
    return mounted(party, secretOf(party), withChanges(party, services, handle));
  });
  const { start, stop } = createCallbackLoop({ database, log, secretOf, now, machineNow, refNameOf });
  return { middlewares, start, stop };
}

/** The callback's field that names the record. */
const refNameOf = (party: SandboxParty): string =>
  PARTY_PROTOCOLS.find(({ name }) => name === party)?.callback?.ref ?? '';

/** Adds the list of changes, which every party has. */
function withChanges(party: SandboxParty, services: Installation, handle: Middleware): Middleware {
  return async (ctx, next) => {
    if (ctx.method === 'GET' && ctx.path === '/changes') return answerChanges(ctx, party, services);
    await handle(ctx, next);
  };
}

/** Pages need no secret but their address, because browsers open them. All other paths are for our adapters. */
const PAGES = '/pages/';

/** Mounts a party under its prefix. The party sees paths without the prefix, and unknown paths get its own 404. */
function mounted(party: SandboxParty, secret: Buffer, handle: Middleware): Middleware {
  const prefix = `${partyPath(party)}/`;
  return async (ctx: Context, next: Next) => {
    if (!ctx.path.startsWith(prefix)) return void (await next());
    const path = ctx.path.slice(prefix.length - 1);
    ctx.state['route'] = `${partyPath(party)}/*`;
    if (!path.startsWith(PAGES)) {
      if (!isAuthorized(ctx.get('authorization'), secret))
        return answer(ctx, 401, { code: 'unauthorized', message: 'unauthorized' });
      ctx.state['internal'] = true; // requests of our own adapters, among them endless readings of lists
    }
    const whole = ctx.path;
    ctx.path = path;
    try {
      await handle(ctx, async () => answer(ctx, 404, { code: 'unknown_path', message: 'unknown path' }));
    } finally {
      ctx.path = whole;
    }
  };
}
