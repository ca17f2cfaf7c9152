import { setTimeout as sleep } from 'node:timers/promises';
import { Argument, type Command, InvalidArgumentError } from 'commander';
import { type Console, show } from '../../desk/cli/console';
import { INSTALLATION } from '../../desk/operators/operations';
import { invalid } from '../../kernel/errors';
import { isId } from '../../kernel/ids';
import { KEY_PURPOSES, type KeyPurpose } from '../../kernel/security/purposes';
import {
  LEAD_MS,
  LEAST_LEAD_MS,
  LEAST_REST_MS,
  REST_MS,
  type Renewed,
  renewKey,
} from '../../kernel/security/renewal';
import { renewalOf } from '../../kernel/security/sealed-columns';
import { beginUserKeys, endUserKeys, OVERLAP_SECONDS, type RenewedUsers } from '../../people/renew-keys';
import type { InstallationSession } from '../session';
import type { CommandContext } from './context';

/** Renews the keys under which values are sealed: those of purposes, and those of users. */
export function addRenewalCommands(keys: Command, { console, run }: CommandContext): void {
  keys
    .command('renew')
    .description(
      'gives a purpose a new key while the product runs, and seals its values anew; repeat it after a break, and to destroy the earlier key',
    )
    .addArgument(new Argument('<purpose>', 'as "keys list" names it').choices(RENEWABLE))
    .option('--lead-seconds <seconds>', 'until the new key seals', atLeast(LEAST_LEAD_MS), LEAD_MS / 1000)
    .option(
      '--rest-seconds <seconds>',
      'from then until the earlier key may be destroyed',
      atLeast(LEAST_REST_MS),
      REST_MS / 1000,
    )
    .option('--json', 'print { "purpose", "version", "sealed", "left", "destroyed", "destroysFrom" }')
    .action((purpose: KeyPurpose, { leadSeconds, restSeconds, json }: RenewOptions) =>
      run(async (session) => {
        const times = { leadMs: leadSeconds * 1000, restMs: restSeconds * 1000 };
        const told = await renewed(session, purpose, times, json ? undefined : console);
        show(console, json, told, renewedText(told));
      }),
    );
  keys
    .command('renew-users')
    .description(
      'gives users a new key of their own, and an hour later seals their data and documents anew; repeat it to go on',
    )
    .option('--user <id>', 'the user')
    .option('--made-before <time>', 'all users whose key was made before: 2026-01-31T12:00:00Z', timeOf)
    .option(
      '--overlap-seconds <seconds>',
      'how long users keep the earlier key; a shorter time loses uploads that are under way',
      atLeast(0),
      OVERLAP_SECONDS,
    )
    .option('--json', 'print { "begun", "ended", "waiting" }')
    .action(({ overlapSeconds, json, ...which }: RenewUsersOptions) =>
      run(async (session) => {
        const told = await renewedUsers(session, usersOf(which), overlapSeconds);
        const { begun, ended, waiting } = told;
        const text = `${begun} users have a new key. ${ended} users have the new key alone, and ${waiting} wait for that.`;
        show(console, json, told, text);
      }),
    );
}

const RENEWABLE = KEY_PURPOSES.filter((purpose) => renewalOf(purpose).way !== 'fixed');

interface RenewOptions {
  leadSeconds: number;
  restSeconds: number;
  json?: boolean;
}

interface RenewUsersOptions {
  user?: string;
  madeBefore?: Date;
  overlapSeconds: number;
  json?: boolean;
}

function atLeast(milliseconds: number): (text: string) => number {
  const least = milliseconds / 1000;
  return (text) => {
    const seconds = Number(text);
    if (/^\d{1,6}$/.test(text) && seconds >= least) return seconds;
    throw new InvalidArgumentError(`It takes whole seconds, at least ${least}.`);
  };
}

function timeOf(text: string): Date {
  const time = new Date(text);
  if (/^\d{4}-\d\d-\d\dT.*(Z|[+-]\d\d:\d\d)$/.test(text) && !Number.isNaN(time.getTime())) return time;
  throw new InvalidArgumentError('It takes a time with its zone: 2026-01-31T12:00:00Z.');
}

const renewed = (
  { masterKeys, knownActor = INSTALLATION, asOwner }: InstallationSession,
  purpose: KeyPurpose,
  times: { leadMs: number; restMs: number },
  console: Console | undefined,
): Promise<Renewed> =>
  asOwner((owner, change) =>
    renewKey(
      {
        owner,
        masterKeys,
        change: (work, describe) => change(knownActor, work, describe),
        sleep,
        onStep: (step) =>
          console?.err(
            'waitsMs' in step
              ? `Waits ${Math.ceil(step.waitsMs / 1000)} s, until every process seals with the new key.`
              : `${step.place}: ${step.sealed} sealed anew.`,
          ),
      },
      purpose,
      times,
    ),
  );

function renewedText({ purpose, version, sealed, left, destroyed, destroysFrom }: Renewed): string {
  const done = `${purpose}/${version} is the key of ${purpose}. ${sealed} values were made anew.`;
  const renewal = renewalOf(purpose);
  if (renewal.way === 'kept')
    return `${purpose}/${version} is the newest key. The earlier ones stay. ${renewal.because}`;
  if (destroysFrom)
    return `${done} Run the command again after ${destroysFrom.toISOString()}: it destroys the earlier key.`;
  if (left > 0)
    return `${done} ${left} values keep the earlier key until their next use: run the command again then.`;
  return destroyed.length > 0 ? `${done} Destroyed: ${purpose}/${destroyed.join(`, ${purpose}/`)}.` : done;
}

/** Undefined: no further users, only those whose renewal goes on. */
function usersOf({
  user,
  madeBefore,
}: Pick<RenewUsersOptions, 'user' | 'madeBefore'>): RenewedUsers | undefined {
  if (user !== undefined && madeBefore !== undefined)
    throw invalid('Give --user or --made-before, not both.', 'user');
  if (user !== undefined && !isId('user', user)) throw invalid('--user takes the id of a user.', 'user');
  if (user !== undefined) return { userId: user };
  return madeBefore && { madeBefore };
}

const renewedUsers = (
  { keyring, documents, knownActor = INSTALLATION, asOwner }: InstallationSession,
  which: RenewedUsers | undefined,
  overlapSeconds: number,
): Promise<{ begun: number; ended: number; waiting: number }> =>
  asOwner(async (owner, change) => {
    const deps = {
      database: owner,
      keyring,
      parties: { documents: documents(keyring) },
      now: () => new Date(),
    };
    const told = await endUserKeys(deps, overlapSeconds);
    const begun = which ? await beginUserKeys(deps, which) : 0;
    const subject = which && 'userId' in which ? which.userId : '';
    const after = { begun, ...told, waiting: told.waiting + begun };
    await change(
      knownActor,
      async () => undefined,
      () => ({ action: 'keys.renew-users', subject, after }),
    );
    return after;
  });
