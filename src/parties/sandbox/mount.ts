import type { Context, Middleware, Next } from 'koa';
import type { Logger } from 'pino';
import type { Database } from '../../kernel/db/database';
import type { PartyName } from '../../kernel/parties';
import type { Keyring } from '../../kernel/security/keyring';
import { createBankParty } from '../bank/sandbox/application';
import { createCardProcessorParty } from '../card-processor/sandbox/application';
import { createCardholderReviewParty } from '../cardholder-review/sandbox/application';
import { createCheckoutParty } from '../checkout/sandbox/application';
import { createExchangeParty } from '../exchange/sandbox/application';
import { createExternalCardsParty } from '../external-cards/sandbox/application';
import { createPayoutsParty } from '../payouts/sandbox/application';
import { isAuthorized } from '../protocol/signature';
import { createRatesParty } from '../rates/sandbox/application';
import type { SandboxRates } from '../rates/sandbox/table';
import { answer } from './answers';
import { createCallbackLoop } from './callbacks';
import { answerChanges } from './changes-route';
import type { PartyOptions, SandboxParty } from './options';

const PREFIX = '/sandbox/providers';

/** Where a party is below the address of the process that serves the sandbox parties. */
export const partyPath = (party: PartyName): string => `${PREFIX}/${party}`;

/** What a party and our adapter of it share: it signs callbacks, and vouches for our requests. */
export const partySecret = (keyring: Keyring, party: PartyName): Buffer =>
  keyring.secretFor(`sandbox-provider/${party}`);

interface Installation {
  mode: 'sandbox' | 'live';
  database: Database;
  keyring: Keyring;
  log: Logger;
  now: () => Date;
  publicUrl(): string;
  /** Shared with whoever orders; this installation's own when absent. */
  secretOf?: (party: SandboxParty) => Buffer;
  /** From an order to its decision where no magic value says another; a party's own pace when absent. */
  decisionSeconds?: Partial<Record<SandboxParty, number | undefined>>;
  rates?: SandboxRates | undefined;
}

/** The parties of the sandbox as one process serves them. */
export interface SandboxParties {
  /** Each below {@link PREFIX}. */
  middlewares: Middleware[];
  /** Calls back whoever ordered, until {@link SandboxParties.stop}. */
  start(): void;
  stop(): Promise<void>;
}

const PARTIES: Readonly<Record<SandboxParty, (options: PartyOptions) => Middleware>> = {
  checkout: createCheckoutParty,
  'external-cards': createExternalCardsParty,
  bank: createBankParty,
  exchange: createExchangeParty,
  payouts: createPayoutsParty,
  'card-processor': createCardProcessorParty,
  'cardholder-review': createCardholderReviewParty,
  rates: createRatesParty,
};

const NONE: SandboxParties = { middlewares: [], start: () => undefined, stop: () => Promise.resolve() };

/** Every party of the sandbox; none in production. */
export function createSandboxParties(services: Installation): SandboxParties {
  if (services.mode !== 'sandbox') return NONE;
  const { database, keyring, log, now, decisionSeconds = {} } = services;
  const { secretOf = (party: SandboxParty) => partySecret(keyring, party) } = services;
  const middlewares = Object.entries(PARTIES).map(([name, create]) => {
    const party = name as SandboxParty;
    const publicUrl = () => services.publicUrl() + partyPath(party);
    const { rates } = services;
    const own = { database, keyring, now, publicUrl, rates, decisionSeconds: decisionSeconds[party] };
    const handle = create(own);
    return mounted(party, secretOf(party), withChanges(party, services, handle));
  });
  const { start, stop } = createCallbackLoop({ database, log, secretOf, now });
  return { middlewares, start, stop };
}

/** What every party has beside its own: the list of what has changed. */
function withChanges(party: SandboxParty, services: Installation, handle: Middleware): Middleware {
  return async (ctx, next) => {
    if (ctx.method === 'GET' && ctx.path === '/changes') return answerChanges(ctx, party, services);
    await handle(ctx, next);
  };
}

/** Pages are for a payer's browser, which has no secret but the page's address; all else is for us alone. */
const PAGES = '/pages/';

/** The party sees paths as if it stood alone. What it does not know is a 404 of its own. */
function mounted(party: SandboxParty, secret: Buffer, handle: Middleware): Middleware {
  const prefix = `${partyPath(party)}/`;
  return async (ctx: Context, next: Next) => {
    if (!ctx.path.startsWith(prefix)) return void (await next());
    const path = ctx.path.slice(prefix.length - 1);
    ctx.state['route'] = `${partyPath(party)}/*`;
    if (!path.startsWith(PAGES)) {
      if (!isAuthorized(ctx.get('authorization'), secret))
        return answer(ctx, 401, { code: 'unauthorized', message: 'unauthorized' });
      ctx.state['internal'] = true; // our own adapters ask, and followers of lists without end
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
