/** Why a file of the bank is refused as a whole. Nothing of it is booked. */
export type FileFaultCode =
  | 'too_large'
  | 'not_utf8'
  | 'doctype'
  | 'not_xml'
  | 'unreadable'
  | 'too_slow'
  | 'unknown_message'
  /** The message is one that only we send. */
  | 'wrong_direction'
  | 'schema'
  | 'unsigned'
  | 'signature'
  /** An earlier file has this message id and other content. */
  | 'message_id_reused'
  | 'amount'
  | 'currency'
  | 'control_sum'
  | 'transaction_count'
  | 'entry_sum'
  | 'balance'
  | 'pages'
  | 'account_unknown'
  | 'statement_repeated';

/** A file cannot be used. `detail` names the place, without personal data. */
export class FileFault extends Error {
  override name = 'FileFault';
  constructor(
    readonly code: FileFaultCode,
    readonly detail = '',
  ) {
    super(detail === '' ? code : `${code}: ${detail}`);
  }
}
