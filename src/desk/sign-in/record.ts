export const TRANSPORTS = ['bearer', 'cookie'] as const;
export type Transport = (typeof TRANSPORTS)[number];

/** A session of an operator at the desk. */
export interface DeskSession {
  id: string;
  operatorId: string;
  tokenHash: Buffer;
  /** How the token travels: the command line's in a header, the browser's in a cookie. */
  transport: Transport;
  /** From which it was begun. */
  address: string;
  createdAt: Date;
  /** Time of the last request, to within some seconds. */
  seenAt: Date;
  endedAt: Date | null;
}

/** Failures to sign in, in a row, of a name from an address. */
export interface Failures {
  failures: number;
  failedAt: Date;
}
