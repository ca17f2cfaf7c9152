/** The provider will never do what it was asked: its own word, or a request that it cannot take. */
export class ProviderRefused extends Error {
  override name = 'ProviderRefused';
  constructor(
    /** The provider's reason: a word without personal data. */
    readonly code: string,
    message = code,
  ) {
    super(message);
  }
}

/** The provider cannot be asked just now, or its answer was lost: the same is asked again, with the same key. */
export class ProviderAway extends Error {
  override name = 'ProviderAway';
  constructor(message = 'the provider cannot be reached') {
    super(message);
  }
}

/**
 * The answer was lost after a request had been sent: the provider may or may not have done the work. Who asks again with the
 * same key in any case may treat it as {@link ProviderAway}.
 */
export class ProviderOutcomeUnknown extends ProviderAway {
  override name = 'ProviderOutcomeUnknown';
  constructor(message = 'the provider gave no answer; the outcome is not known') {
    super(message);
  }
}
