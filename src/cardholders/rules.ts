import type { CardholderModel } from './meta-rules';

/** `interface.md 3.1`. */
export const CARDHOLDER_STATUSES = [
  'pending_review',
  'wait_audit',
  'pass_audit',
  'reject',
  'submission_failed',
  'rejected_by_admin',
] as const;

export type CardholderStatus = (typeof CARDHOLDER_STATUSES)[number];

interface Transition {
  from: CardholderStatus | null;
  on: 'created';
  model: CardholderModel;
  to: CardholderStatus;
}

/** The cardholder's state machine: no status is assigned but by a line of it. `from: null`: there was no record. */
export const CARDHOLDER_TRANSITIONS: readonly Transition[] = [
  { from: null, on: 'created', model: 'B2B', to: 'pass_audit' },
];

/** @throws Error when the table has no such line */
export function nextStatus(
  from: Transition['from'],
  on: Transition['on'],
  model: CardholderModel,
): CardholderStatus {
  const line = CARDHOLDER_TRANSITIONS.find(
    (one) => one.from === from && one.on === on && one.model === model,
  );
  if (!line) throw new Error(`a ${model} cardholder has no transition from ${from ?? 'nothing'} on ${on}`);
  return line.to;
}

/** What tells two emails apart on a BIN: the case of a letter does not (decisions part 4). */
export function emailKey(email: string): string {
  return email.normalize('NFC').toLowerCase();
}

/** `John Doe` is `J*** D**`. */
export function maskName(firstName: string, lastName: string): string {
  return `${firstName} ${lastName}`
    .split(' ')
    .filter((word) => word !== '')
    .map((word) => word.charAt(0) + '*'.repeat(word.length - 1))
    .join(' ');
}

/** `john@example.com` is `j***@example.com`, whatever the length of the name. */
export function maskEmail(email: string): string {
  const at = email.lastIndexOf('@');
  return `${[...email.slice(0, at)][0] ?? ''}***${email.slice(at)}`;
}
