/** A party's name for a change: in its list and, as the message's name, in its callback. */
export const changeName = (number: string): string => `change-${number}`;
