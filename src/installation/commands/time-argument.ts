import { InvalidArgumentError } from 'commander';

/** Reads a time of the command line. @throws InvalidArgumentError, which names the form */
export function timeArgument(text: string): Date {
  const time = new Date(text);
  if (Number.isNaN(time.getTime()))
    throw new InvalidArgumentError('It takes a time such as 2026-01-31T12:00:00Z.');
  return time;
}
