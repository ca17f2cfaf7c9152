/** Kinds of breaks about files of the bank. Each is shown to a person; nothing was booked for it unless stated. */
export const FILE_BREAKS = {
  /** A file was refused as a whole. Subject: its name. */
  refused: 'bank_file_refused',
  /** We may not read a file. The file stays in its place, and the others are taken. Subject: `bank-file:` with its name. */
  unreadable: 'bank_file_unreadable',
  /** A batch of ours does not follow the schema, so it was not sent. */
  unsendable: 'bank_batch_unsendable',
  /** The bank has answered a file of orders by no report and no entry. Subject: its message id. */
  unanswered: 'bank_file_unanswered',
  /** An order comes again that a placed file has, because the database has lost commits. It is not sent again. */
  sentBefore: 'bank_order_sent_before',
  /** A report names an order, a group or a file that we do not have. */
  unknownReference: 'bank_reference_unknown',
  /** A status or a reason that no table of ours has. */
  unknownCode: 'bank_code_unknown',
  /** The bank's report contradicts the order, or the booked money. */
  contradiction: 'bank_report_contradicts',
  /** An entry that concerns no order and no payment to an IBAN of our range. */
  unmatched: 'bank_entry_unmatched',
  /** An entry without the bank's reference, so that it cannot be told from its repetition. */
  unnamed: 'bank_entry_unnamed',
  /** A received payment is told again under another reference, and was credited once. */
  repeated: 'bank_payment_repeated',
  /** An entry is told again with another amount. */
  changed: 'bank_entry_changed',
  /** The payer's bank asks a payment back. A person decides whether it is returned. */
  recallAsked: 'bank_recall_asked',
  /** The payee's bank does not give a payout back. */
  recallRefused: 'bank_recall_refused',
  /** A statement is missing in its series. */
  gap: 'bank_statement_missing',
  /** A statement does not open with the balance at which the one before has closed. */
  chain: 'bank_statement_chain',
  /** The books differ from the bank's balance for longer than allowed. */
  difference: 'bank_balance_differs',
} as const;
