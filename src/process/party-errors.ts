/** The party refuses for good, by its own answer or because it cannot take the request. */
export class PartyRefused extends Error {
  override name = 'PartyRefused';
  constructor(
    /** The party's code of the reason, without personal data. */
    readonly code: string,
    message = code,
  ) {
    super(message);
  }
}

/** The party cannot be reached now, or its answer was lost. The caller repeats the request with the same key. */
export class PartyAway extends Error {
  override name = 'PartyAway';
  constructor(message = 'the party cannot be reached') {
    super(message);
  }
}

/** The operator has stopped the party, or it is left out. The order waits until the party is on. */
export class PartyStopped extends PartyAway {
  override name = 'PartyStopped';
  constructor() {
    super('the party gets no orders now');
  }
}

/**
 * The answer was lost after a request was sent, so the party may have acted. Callers that always repeat with the same
 * key may treat it as {@link PartyAway}.
 */
export class OutcomeUnknown extends PartyAway {
  override name = 'OutcomeUnknown';
  constructor(message = 'the party gave no answer; the outcome is unknown') {
    super(message);
  }
}

/** The party's answer cannot be read. Treated as {@link OutcomeUnknown}, and a person is told. */
export class UnreadableAnswer extends OutcomeUnknown {
  constructor(message = 'the party gave an unreadable answer') {
    super(message);
  }
}

/** The party has signed a message that cannot be read, so its meaning is unknown. */
export class UnreadableCallback extends Error {
  override name = 'UnreadableCallback';
}
