const PREFIX = 'operator:';

/** An operator as decisions and the audit log name him: names are unique for ever. */
export const operatorActor = (name: string): string => PREFIX + name;

/** The operator's name. @returns undefined for an actor who is no operator */
export const operatorNameOf = (actor: string): string | undefined =>
  isOperator(actor) ? actor.slice(PREFIX.length) : undefined;

/** Whether a person stands behind it; the client id of an admin credential names none. */
export const isOperator = (actor: string): boolean => actor.startsWith(PREFIX);
