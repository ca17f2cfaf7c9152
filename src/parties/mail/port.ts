/** A mail as it is sent. */
export interface Mail {
  /** Names the mail for ever. Each attempt carries the same `Message-ID`, so a receiver can drop a repeat. */
  id: string;
  tenantId: string;
  /** Shown as the sender's name, beside the installation's address. */
  senderName: string;
  to: string;
  subject: string;
  text: string;
  html: string;
}

/** The outside party that delivers mail. */
export interface Mailer {
  /**
   * Hands a mail over. Repeating a mail is safe, because the receiver sees the same mail under the same `Message-ID`.
   * @throws PartyRefused the server will never take this mail; PartyAway nothing was sent; OutcomeUnknown the mail may have
   *   been sent
   */
  send(mail: Mail): Promise<void>;
  /** Whether there is a mail server at all. */
  configured: boolean;
}
