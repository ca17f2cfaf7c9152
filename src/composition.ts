import type { Logger } from 'pino';
import { accountRoutes } from './accounts/routes';
import { type AppDeps, createApp } from './api/app';
import type { Route } from './api/route';
import { createAuthenticator } from './clients/authenticate';
import { clientRoutes } from './clients/routes';
import type { Database } from './db/database';
import { type Commands, createCommands, type HandOver } from './outbox/commands';
import type { Keyring } from './security/keyring';

/** What the domains are given. Composed once a process; tests compose their own. */
export interface Services {
  database: Database;
  keyring: Keyring;
  commands: Commands;
  log: Logger;
  mode: 'sandbox' | 'live';
  now(): Date;
}

export interface ServiceOptions {
  database: Database;
  keyring: Keyring;
  log: Logger;
  mode: 'sandbox' | 'live';
  /** Where committed workflow commands go at once; the relay takes what it drops. */
  handOver: HandOver;
  now?: () => Date;
}

export function createServices(options: ServiceOptions): Services {
  const { database, keyring, log, mode, handOver, now = () => new Date() } = options;
  return { database, keyring, log, mode, commands: createCommands(handOver), now };
}

/** Every endpoint of the API, in the order of `interface.md 4.1`. */
export function apiRoutes(services: Services): Route[] {
  return [...accountRoutes(services), ...clientRoutes(services)];
}

export function createApi(services: Services, options: Pick<AppDeps, 'observe' | 'pages'>) {
  const { database, keyring, log } = services;
  return createApp({
    database,
    log,
    routes: apiRoutes(services),
    authenticate: createAuthenticator(database, keyring),
    ...options,
  });
}
