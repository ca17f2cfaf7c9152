import { createProcessorLine } from '../cards/processor/answer-message';
import { createReportLine } from '../cards/processor/report-line';
import type { CardServices } from '../cards/services';
import { Problem } from '../kernel/errors';
import { PartyAway } from '../process/party-errors';

/** Books what changes of a list report. Idempotent. @throws PartyAway while something cannot be booked */
export type BookReports = (refs: readonly string[]) => Promise<void>;

/**
 * Books the card processor's reports of its network, so that no booking depends on a webhook. Reports that a webhook has
 * told are answered from their keys.
 * @returns undefined for a processor without reports
 */
export function bookNetworkReports(services: CardServices): BookReports | undefined {
  const { cardProcessor } = services.parties;
  if (!('reported' in cardProcessor)) return undefined;
  return async (refs) => {
    // A line remembers its answers, and the database may have lost commits since an earlier page.
    const line = createReportLine(services, createProcessorLine(services));
    for (const ref of refs) {
      const report = await cardProcessor.reported?.(ref);
      if (report) await line.book(report).catch(awayIfPassing);
    }
  };
}

/** Turns a passing fault into an outage, so that the page is read again. */
function awayIfPassing(error: unknown): never {
  const passes =
    error instanceof Problem && (error.status >= 500 || error.code === 'idempotency_in_progress');
  throw passes ? new PartyAway('a report of the network cannot be booked yet') : error;
}
