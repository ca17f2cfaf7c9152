import type { ProcessorMessage } from './message';

/**
 * The processor's final decision on an authorization. The processor may have taken the decision without us, or after it
 * had asked us.
 */
export interface NetworkDecision {
  /** The authorization as an `advice`, under the `messageId` of the question that asked us about it. */
  authorization: ProcessorMessage;
  approved: boolean;
  /** Whether the processor has asked us. A question that comes late must then not be judged any more. */
  asked: boolean;
}

/** The report of a processor that does not send the messages of our protocol. */
export interface NetworkReport {
  type: 'report';
  decisions: readonly NetworkDecision[];
  /** Clearings, reversals and refunds. */
  messages: readonly ProcessorMessage[];
}

export const NOTHING_REPORTED: NetworkReport = { type: 'report', decisions: [], messages: [] };

const PREFIX = 'network:';

/** Names a report in the processor's list of changes. */
export const reportRef = (name: string): string => `${PREFIX}${name}`;
export const isReportRef = (ref: string): boolean => ref.startsWith(PREFIX);
/** The processor's own name of a report. */
export const reportName = (ref: string): string => ref.slice(PREFIX.length);
