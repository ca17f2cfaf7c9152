import type { Logger } from 'pino';
import type { Database } from '../kernel/db/database';
import type { Observers } from '../kernel/metrics/observers';
import { leftOut } from './left-out';
import type { AdapterOptions } from './protocol/client';
import type { PartyProtocol } from './protocol/description';
import type { CreateSandboxParty } from './sandbox/options';

/** Services of an adapter, beside its address. */
export interface PartyWiring {
  /** Database of the wallets' sealed seed, the sandbox mailbox and the last rates. */
  database: Database;
  log: Logger;
  now: () => Date;
  observers: Observers;
}

interface Given<Port> {
  protocol: PartyProtocol;
  /** The adapter over our protocol. */
  adapter(options: AdapterOptions, wiring: PartyWiring): Port;
  /** The simulated party. */
  sandbox: CreateSandboxParty;
  /** Stands in for the party that is left out. Absent: nothing reaches the party. */
  without?(): Port;
}

export type PartyDefinition<Port> = Required<Given<Port>>;

/** Defines a party over HTTP. The facts that the kernel needs are in `src/kernel/parties.ts`. */
export const defineParty = <Port extends object>(given: Given<Port>): PartyDefinition<Port> => ({
  without: leftOut<Port>,
  ...given,
});
