import { DatabaseAway } from '../../kernel/db/faults';
import { PartyAway } from '../../process/party-errors';
import { openBankFolder } from './folder';
import { type Taken, takeFiles } from './incoming';
import { makeBatch, type OnStep, placeFiles } from './outgoing';
import { showDifferences } from './reconcile';
import { openSentNames } from './sent-names';
import type { BankFilesServices } from './services';
import { filesToPlace } from './store/files';
import { showUnanswered } from './unanswered';
import { showUnreadable } from './unreadable';

export interface FileExchange {
  /**
   * Takes one turn: makes and places our files, takes the bank's, compares balances. Concurrent turns of a process are
   * one; those of several processes take each file once.
   * @throws PartyAway while the folder cannot be used
   */
  turn(): Promise<readonly Taken[]>;
}

export interface ExchangeOptions {
  /** How long the books may differ from the bank's balance before a person is told, in milliseconds. */
  differenceMs: number;
  /** For tests: called between two steps. */
  onStep?: OnStep | undefined;
}

/** Interval at which balances, silent files and files that we may not read are judged. */
const JUDGE_EVERY_MS = 60_000;
/** Time without a turn after which nothing is known of the books, as after a start or an outage. */
const PAUSED_MS = 300_000;
const FORGET_EVERY_MS = 3_600_000;
/** Age at which taken files are deleted, as callbacks of other parties are. The bank's archive keeps them. */
const TAKEN_KEPT_MS = 30 * 24 * 3_600_000;
/** Age at which temporary files of killed processes are deleted. */
const STAGED_KEPT_MS = 24 * 3_600_000;
/** How long the orders of a placed file are known without the database. */
const NAMES_KEPT_MS = 7 * 24 * 3_600_000;

export function createFileExchange(
  services: BankFilesServices,
  { differenceMs, onStep = () => undefined }: ExchangeOptions,
): FileExchange {
  const folder = openBankFolder(services.settings.folder);
  const places = { folder, sent: openSentNames(services.settings.folder) };
  let running: Promise<readonly Taken[]> | undefined;
  let [turnedAt, judgedAt, forgottenAt] = [0, 0, 0];

  async function once(): Promise<readonly Taken[]> {
    try {
      await placeFiles(services, places, onStep); // those of a turn that was killed
      if (await makeBatch(services, places.sent)) {
        onStep('filed');
        await placeFiles(services, places, onStep);
      }
      const at = services.machineNow().getTime();
      // After a pause the books have not followed the files of the turn before it, so a minute of turns comes first.
      if (at - turnedAt >= PAUSED_MS) judgedAt = at;
      turnedAt = at;
      const judges = at - judgedAt >= JUDGE_EVERY_MS;
      if (judges) {
        judgedAt = at;
        // Before files are taken. The books have followed those of the turns before, and follow these in a moment.
        await showDifferences(services, differenceMs);
        await showUnanswered(services);
      }
      const { outcomes, unreadable } = await takeFiles(services, folder, onStep);
      if (judges) await showUnreadable(services, unreadable);
      await forgetOld(at);
      return outcomes;
    } catch (error) {
      throw isOfFolder(error) ? new PartyAway('the folder of the bank’s files cannot be used') : error;
    }
  }

  async function forgetOld(at: number): Promise<void> {
    if (at - forgottenAt < FORGET_EVERY_MS) return;
    forgottenAt = at;
    await folder.forgetTaken(new Date(at - TAKEN_KEPT_MS));
    if ((await filesToPlace(services.database)).length === 0)
      await folder.forgetStaged(new Date(at - STAGED_KEPT_MS));
    await places.sent.forget(new Date(at - NAMES_KEPT_MS));
  }

  return {
    turn() {
      running ??= once().finally(() => {
        running = undefined;
      });
      return running;
    },
  };
}

/** Whether the file system has failed, and not Postgres. */
const isOfFolder = (error: unknown): boolean =>
  !(error instanceof DatabaseAway) && typeof (error as NodeJS.ErrnoException).syscall === 'string';
