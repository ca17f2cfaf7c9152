import type { z } from 'zod';

/** What a sample of a request is made of. */
export interface SampleGiven {
  /** Where the party is to call. */
  callbackUrl: string;
  /** Now, for whoever sends it. */
  at: Date;
}

interface Described {
  /** What documents and checks call it: `order`, `refund`. */
  name: string;
  /** From the party's address on; what stands in braces is a field of that name. */
  path: `/${string}`;
  summary: string;
  description?: string;
  /** Of a 2xx. The adapter validates by it; fields that it does not name are passed over. */
  answer: z.ZodType;
  /** What such an answer looks like. */
  example: object;
}

interface Changing extends Described {
  /** Always under an `idempotency-key`. */
  method: 'POST';
  /** The sandbox's party validates by it. */
  request: z.ZodType;
  /** A request as ours look. */
  sample(given: SampleGiven): Record<string, unknown>;
  /** What makes it another request, which the same key must not carry out. */
  another: Record<string, unknown>;
  /** Codes that the party may refuse it with, for ever; it may have others. */
  refusals: Readonly<Record<string, string>>;
}

/** Makes a record at the party. */
export interface OrderOperation extends Changing {
  kind: 'order';
  /** The field of the answer that names the record: by that its state is asked for. */
  ref: string;
  /** The name of the operation that tells its state, where the party has several; else the only one. */
  state?: string;
  /** The field of the state that tells what has moved by it: never more than the `amount` that was ordered. */
  moved?: string;
}

/** Does something with a record. */
export interface PartOperation extends Changing {
  kind: 'part';
  /** Where it stands in the record's state, once, with our `key`; absent: it has a state of its own. */
  listed?: string;
  /** A record takes one, and no second one under another key. */
  single?: true;
}

/** Tells the whole present state of a record. */
export interface StateOperation extends Described {
  kind: 'state';
  method: 'GET';
  /** The field of the answer that names the record. */
  ref: string;
}

/** Tells of something that belongs to a record. */
export interface DetailOperation extends Described {
  kind: 'detail';
  method: 'GET';
}

/** Tells what is no record. */
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
  /** The name of the line in documents: `message`, `challenge`. */
  name: string;
  /** Below our address. */
  path: `/${string}`;
  summary: string;
  /** In Markdown. */
  description: string;
  message: z.ZodType;
  answer: z.ZodType;
  /** By what they are: a message and its answer. */
  examples: Readonly<Record<string, { message: object; answer: object }>>;
  /** Other answers than 200, and what is then to be done. */
  refusals: Readonly<Record<number, string>>;
}

/** What a party speaks with us, as data: for its documents (docs/parties.md), and for whoever checks a party against it. */
export interface PartyProtocol {
  /** As in paths and commands: `external-cards`. */
  name: string;
  title: string;
  /** What we need it for. */
  purpose: string;
  operations: readonly PartyOperation[];
  /** Absent: it never calls. */
  callback?: {
    schema: z.ZodType;
    /** Its field that says which record to look at. */
    ref: string;
    example: object;
  };
  /** What it tells us by itself, signed as callbacks are, and is answered: it is more than which record to look at. */
  lines?: readonly PartyLine[];
  /** Whether it lists what has changed: `GET /changes`. */
  changes: boolean;
}
