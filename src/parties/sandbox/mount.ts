import type { Context, Middleware, Next } from 'koa';
import type { Keyring } from '../../kernel/security/keyring';
import { createBankParty } from '../bank/sandbox/application';
import { createCheckoutParty } from '../checkout/sandbox/application';
import { createExternalCardsParty } from '../external-cards/sandbox/application';
import { createPayoutsParty } from '../payouts/sandbox/application';
import { isAuthorized } from '../protocol/signature';
import { answer } from './answers';
import type { PartyOptions } from './options';

/** The simulated outside parties: small HTTP applications of their own, each with its own tables, reached as real ones. */
export type SandboxParty = 'checkout' | 'payouts' | 'external-cards' | 'bank';

const PREFIX = '/sandbox/providers';

/** Where a party is below the address of the process that serves the sandbox parties. */
export const partyPath = (party: SandboxParty): string => `${PREFIX}/${party}`;

/** What a party and our adapter of it share: it signs callbacks, and vouches for our requests. */
export const partySecret = (keyring: Keyring, party: SandboxParty): Buffer =>
  keyring.secretFor(`sandbox-provider/${party}`);

interface Installation extends Omit<PartyOptions, 'secret'> {
  mode: 'sandbox' | 'live';
  keyring: Keyring;
}

/** Every party of the sandbox, below {@link PREFIX}; none in production. */
export function sandboxParties(services: Installation): Middleware[] {
  if (services.mode !== 'sandbox') return [];
  const { database, keyring, now } = services;
  const optionsOf = (party: SandboxParty): PartyOptions => ({
    database,
    secret: partySecret(keyring, party),
    now,
    publicUrl: () => services.publicUrl() + partyPath(party),
  });
  const parties: Partial<Record<SandboxParty, (options: PartyOptions) => Middleware>> = {
    checkout: createCheckoutParty,
    'external-cards': createExternalCardsParty,
    bank: createBankParty,
    payouts: createPayoutsParty,
  };
  return Object.entries(parties).map(([name, create]) => {
    const party = name as SandboxParty;
    return mounted(party, partySecret(keyring, party), create(optionsOf(party)));
  });
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
    if (!path.startsWith(PAGES) && !isAuthorized(ctx.get('authorization'), secret)) {
      return answer(ctx, 401, { code: 'unauthorized', message: 'unauthorized' });
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
