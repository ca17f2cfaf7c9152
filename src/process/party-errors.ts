/** The party will never do what it was asked: its own word, or a request that it cannot take. */
export class PartyRefused extends Error {
  override name = 'PartyRefused';
  constructor(
    /** The party's reason: a word without personal data. */
    readonly code: string,
    message = code,
  ) {
    super(message);
  }
}

/** The party cannot be asked just now, or its answer was lost: the same is asked again, with the same key. */
export class PartyAway extends Error {
  override name = 'PartyAway';
  constructor(message = 'the party cannot be reached') {
    super(message);
  }
}

/** The operator has stopped it, or it is left out: the order is given when it is on again. */
export class PartyStopped extends PartyAway {
  override name = 'PartyStopped';
  constructor() {
    super('the party gets no orders now');
  }
}

/**
 * The answer was lost after a request had been sent: the party may or may not have done the work. Who asks again with the
 * same key in any case may treat it as {@link PartyAway}.
 */
export class OutcomeUnknown extends PartyAway {
  override name = 'OutcomeUnknown';
  constructor(message = 'the party gave no answer; the outcome is not known') {
    super(message);
  }
}

/** The party has answered, and what it said cannot be read: as {@link OutcomeUnknown}, and a person is shown. */
export class UnreadableAnswer extends OutcomeUnknown {
  constructor(message = 'the party gave an answer that cannot be read') {
    super(message);
  }
}

/** The party has signed a message that cannot be read: it was it, and what it meant is not known. */
export class UnreadableCallback extends Error {
  override name = 'UnreadableCallback';
}
