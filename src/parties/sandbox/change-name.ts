/** A party's id of a change, in its list and in its callback. */
export const changeName = (number: string): string => `change-${number}`;
