/** The form in which emails are compared and written to: case does not matter (decisions part 4). */
export const emailKey = (email: string): string => email.normalize('NFC').toLowerCase();

/** Masks a name: `John Doe` becomes `J*** D**`. */
export function maskName(firstName: string, lastName: string): string {
  return `${firstName} ${lastName}`
    .split(' ')
    .filter((word) => word !== '')
    .map((word) => word.charAt(0) + '*'.repeat(word.length - 1))
    .join(' ');
}

/** Masks an email: `John@example.com` becomes `j***@example.com`, whatever the length of the name. */
export function maskEmail(given: string): string {
  if (given === '') return '';
  const email = emailKey(given);
  const at = email.lastIndexOf('@');
  return `${[...email.slice(0, at)][0] ?? ''}***${email.slice(at)}`;
}
