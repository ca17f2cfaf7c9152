const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/** https; in the sandbox also http to this machine. Credentials in it would be shown to the payer. */
export function isReturnUrl(text: string, mode: 'sandbox' | 'live'): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, password } = new URL(text);
  if (username !== '' || password !== '') return false;
  return protocol === 'https:' || (mode === 'sandbox' && protocol === 'http:' && LOOPBACK.includes(hostname));
}
