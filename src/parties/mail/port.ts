/** A mail to send. */
export interface Mail {
  /** Unique id of the mail. Each attempt carries the same `Message-ID`, so a receiver can drop a repeat. */
  id: string;
  /** Null: the mail is to an operator. */
  tenantId: string | null;
  /** The sender's name, beside the installation's address. */
  senderName: string;
  to: string;
  subject: string;
  text: string;
  html: string;
}

/** The outside party that delivers mail. */
export interface Mailer {
  /**
   * Hands a mail over. A repeat is safe, because it carries the same `Message-ID`.
   * @throws PartyRefused the server has refused the mail for good; PartyAway nothing was sent; OutcomeUnknown the mail
   * may have been sent
   */
  send(mail: Mail): Promise<void>;
  /** Whether a mail server is configured. */
  configured: boolean;
}
