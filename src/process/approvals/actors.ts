const PREFIX = 'operator:';

/** An operator's name in decisions and in the audit log. Names are never reused. */
export const operatorActor = (name: string): string => PREFIX + name;

/** The operator's name. @returns undefined for an actor that is no operator */
export const operatorNameOf = (actor: string): string | undefined =>
  isOperator(actor) ? actor.slice(PREFIX.length) : undefined;

/** Whether the actor is an operator. The client id of an admin credential is not. */
export const isOperator = (actor: string): boolean => actor.startsWith(PREFIX);
