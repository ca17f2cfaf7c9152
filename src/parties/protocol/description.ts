import type { z } from 'zod';

/** Values for a sample request. */
export interface SampleGiven {
  /** Where the party sends its callbacks. */
  callbackUrl: string;
  /** The sender's present time. */
  at: Date;
}

interface Described {
  /** Name in documents and checks: `order`, `refund`. */
  name: string;
  /** Relative to the party's address. Names in braces are fields. */
  path: `/${string}`;
  summary: string;
  description?: string;
  /** Schema of a 2xx answer. The adapter checks answers by it and ignores further fields. */
  answer: z.ZodType;
  /** An example of such an answer. */
  example: object;
}

interface Changing extends Described {
  /** Always sent with an `idempotency-key`. */
  method: 'POST';
  /** Schema of the request. The sandbox's party checks requests by it. */
  request: z.ZodType;
  /** A request like ours. */
  sample(given: SampleGiven): Record<string, unknown>;
  /** Fields that make it a different request, which the same key must not carry out. */
  another: Record<string, unknown>;
  /** Codes of final refusals and their meaning. The party may have others. */
  refusals: Readonly<Record<string, string>>;
}

/** Creates a record at the party. */
export interface OrderOperation extends Changing {
  kind: 'order';
  /** The field of the answer that names the record, for reading its state. */
  ref: string;
  /** Name of the operation that reads the state. May be absent where the party has only one. */
  state?: string;
  /** The field of the state with the moved amount. It never exceeds the ordered `amount`. */
  moved?: string;
}

/** Changes a record at the party. */
export interface PartOperation extends Changing {
  kind: 'part';
  /** Field of the record's state that lists the change once, with our `key`. Absent: the change has its own state. */
  listed?: string;
  /** A record takes only one, and refuses a second one under another key. */
  single?: true;
}

/** Reads the whole present state of a record. */
export interface StateOperation extends Described {
  kind: 'state';
  method: 'GET';
  /** The field of the answer that names the record. */
  ref: string;
}

/** Reads something that belongs to a record. */
export interface DetailOperation extends Described {
  kind: 'detail';
  method: 'GET';
}

/** Reads something that is no record. */
export interface QuestionOperation extends Described {
  kind: 'question';
  method: 'GET';
}

export type PartyOperation =
  | OrderOperation
  | PartOperation
  | StateOperation
  | DetailOperation
  | QuestionOperation;

/** Messages that a party sends to us. */
export interface PartyLine {
  /** Name of the line in documents: `message`, `challenge`. */
  name: string;
  /** Relative to our address. */
  path: `/${string}`;
  summary: string;
  /** In Markdown. */
  description: string;
  message: z.ZodType;
  answer: z.ZodType;
  /** Examples by name: a message and its answer. */
  examples: Readonly<Record<string, { message: object; answer: object }>>;
  /** Answers other than 200, and what the party must do. */
  refusals: Readonly<Record<number, string>>;
}

/** A party's protocol as data, for its documents (docs/parties.md) and for the checks of a party. */
export interface PartyProtocol {
  /** As in paths and commands: `external-cards`. */
  name: string;
  title: string;
  /** What we need the party for. */
  purpose: string;
  operations: readonly PartyOperation[];
  /** Absent: the party sends no callbacks. */
  callback?: {
    schema: z.ZodType;
    /** The callback's field that names the record. */
    ref: string;
    example: object;
  };
  /** Messages that the party sends with content of their own, and that we answer. They are signed as callbacks are. */
  lines?: readonly PartyLine[];
  /** Whether the party lists changes: `GET /changes`. */
  changes: boolean;
}
