const PREFIX = 'operator:';

/** An operator as decisions and the audit log name him: names are unique for ever. */
export const operatorActor = (name: string): string => PREFIX + name;

/** Whether a person stands behind it; the client id of an admin credential names none. */
export const isOperator = (actor: string): boolean => actor.startsWith(PREFIX);
