/** The form in which emails are compared on a BIN: case does not matter (decisions part 4). */
export function emailKey(email: string): string {
  return email.normalize('NFC').toLowerCase();
}

/** Masks a name: `John Doe` becomes `J*** D**`. */
export function maskName(firstName: string, lastName: string): string {
  return `${firstName} ${lastName}`
    .split(' ')
    .filter((word) => word !== '')
    .map((word) => word.charAt(0) + '*'.repeat(word.length - 1))
    .join(' ');
}

/** Masks an email: `john@example.com` becomes `j***@example.com`, whatever the length of the name. */
export function maskEmail(email: string): string {
  const at = email.lastIndexOf('@');
  return `${[...email.slice(0, at)][0] ?? ''}***${email.slice(at)}`;
}
