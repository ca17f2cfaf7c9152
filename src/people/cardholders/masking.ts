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
